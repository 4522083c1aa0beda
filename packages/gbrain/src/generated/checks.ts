// Written by npm run generate from areas/*/*.check.ts; do not edit.
import type { Check } from '../check.ts';
import type { Registered } from '../registry.ts';
import healthChecksAgentContract from '../areas/health/checks/agent-contract.check.ts';
import healthChecksBackupCoverage from '../areas/health/checks/backup-coverage.check.ts';
import healthChecksBrainScore from '../areas/health/checks/brain-score.check.ts';
import healthChecksChatFallbackChain from '../areas/health/checks/chat-fallback-chain.check.ts';
import healthChecksChatLlm from '../areas/health/checks/chat-llm.check.ts';
import healthChecksConfiguration from '../areas/health/checks/configuration.check.ts';
import healthChecksConnection from '../areas/health/checks/connection.check.ts';
import healthChecksContentFiles from '../areas/health/checks/content-files.check.ts';
import healthChecksDerivedRows from '../areas/health/checks/derived-rows.check.ts';
import healthChecksDiskSpace from '../areas/health/checks/disk-space.check.ts';
import healthChecksEmbedStaleness from '../areas/health/checks/embed-staleness.check.ts';
import healthChecksEmbeddingProvider from '../areas/health/checks/embedding-provider.check.ts';
import healthChecksEmbeddings from '../areas/health/checks/embeddings.check.ts';
import healthChecksHarnessWiring from '../areas/health/checks/harness-wiring.check.ts';
import healthChecksIndex from '../areas/health/checks/index.check.ts';
import healthChecksMemoryWriteback from '../areas/health/checks/memory-writeback.check.ts';
import healthChecksOwnerLock from '../areas/health/checks/owner-lock.check.ts';
import healthChecksOwnerProcess from '../areas/health/checks/owner-process.check.ts';
import healthChecksPgliteDataDir from '../areas/health/checks/pglite-data-dir.check.ts';
import healthChecksRuntime from '../areas/health/checks/runtime.check.ts';
import healthChecksSchemaVersion from '../areas/health/checks/schema-version.check.ts';
import healthChecksStaleLocks from '../areas/health/checks/stale-locks.check.ts';
import healthChecksSync from '../areas/health/checks/sync.check.ts';
import healthChecksTemporaryFiles from '../areas/health/checks/temporary-files.check.ts';
import healthChecksToolSurface from '../areas/health/checks/tool-surface.check.ts';
import healthChecksWorker from '../areas/health/checks/worker.check.ts';

export const checks: readonly Registered<Check>[] = [
  { area: 'health', file: 'checks/agent-contract.check.ts', value: healthChecksAgentContract },
  { area: 'health', file: 'checks/backup-coverage.check.ts', value: healthChecksBackupCoverage },
  { area: 'health', file: 'checks/brain-score.check.ts', value: healthChecksBrainScore },
  { area: 'health', file: 'checks/chat-fallback-chain.check.ts', value: healthChecksChatFallbackChain },
  { area: 'health', file: 'checks/chat-llm.check.ts', value: healthChecksChatLlm },
  { area: 'health', file: 'checks/configuration.check.ts', value: healthChecksConfiguration },
  { area: 'health', file: 'checks/connection.check.ts', value: healthChecksConnection },
  { area: 'health', file: 'checks/content-files.check.ts', value: healthChecksContentFiles },
  { area: 'health', file: 'checks/derived-rows.check.ts', value: healthChecksDerivedRows },
  { area: 'health', file: 'checks/disk-space.check.ts', value: healthChecksDiskSpace },
  { area: 'health', file: 'checks/embed-staleness.check.ts', value: healthChecksEmbedStaleness },
  { area: 'health', file: 'checks/embedding-provider.check.ts', value: healthChecksEmbeddingProvider },
  { area: 'health', file: 'checks/embeddings.check.ts', value: healthChecksEmbeddings },
  { area: 'health', file: 'checks/harness-wiring.check.ts', value: healthChecksHarnessWiring },
  { area: 'health', file: 'checks/index.check.ts', value: healthChecksIndex },
  { area: 'health', file: 'checks/memory-writeback.check.ts', value: healthChecksMemoryWriteback },
  { area: 'health', file: 'checks/owner-lock.check.ts', value: healthChecksOwnerLock },
  { area: 'health', file: 'checks/owner-process.check.ts', value: healthChecksOwnerProcess },
  { area: 'health', file: 'checks/pglite-data-dir.check.ts', value: healthChecksPgliteDataDir },
  { area: 'health', file: 'checks/runtime.check.ts', value: healthChecksRuntime },
  { area: 'health', file: 'checks/schema-version.check.ts', value: healthChecksSchemaVersion },
  { area: 'health', file: 'checks/stale-locks.check.ts', value: healthChecksStaleLocks },
  { area: 'health', file: 'checks/sync.check.ts', value: healthChecksSync },
  { area: 'health', file: 'checks/temporary-files.check.ts', value: healthChecksTemporaryFiles },
  { area: 'health', file: 'checks/tool-surface.check.ts', value: healthChecksToolSurface },
  { area: 'health', file: 'checks/worker.check.ts', value: healthChecksWorker },
];
