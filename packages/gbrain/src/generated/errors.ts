// Written by npm run generate from areas/*/*.errors.ts; do not edit.
import type { ErrorTable } from '../failure.ts';
import type { Registered } from '../registry.ts';
import configConfig from '../areas/config/config.errors.ts';
import contentContent from '../areas/content/content.errors.ts';
import contractContract from '../areas/contract/contract.errors.ts';
import evalEval from '../areas/eval/eval.errors.ts';
import factsFacts from '../areas/facts/facts.errors.ts';
import healthHealth from '../areas/health/health.errors.ts';
import ingestIngest from '../areas/ingest/ingest.errors.ts';
import pagesPages from '../areas/pages/pages.errors.ts';
import protocolProtocol from '../areas/protocol/protocol.errors.ts';
import setupHarness from '../areas/setup/harness.errors.ts';
import setupSetup from '../areas/setup/setup.errors.ts';
import sourcesSourceAdmin from '../areas/sources/source-admin.errors.ts';
import sourcesSources from '../areas/sources/sources.errors.ts';
import spendSpend from '../areas/spend/spend.errors.ts';
import transcriptsTranscripts from '../areas/transcripts/transcripts.errors.ts';
import vectorsVectors from '../areas/vectors/vectors.errors.ts';
import writesWrites from '../areas/writes/writes.errors.ts';

export const errors: readonly Registered<ErrorTable>[] = [
  { area: 'config', file: 'config.errors.ts', value: configConfig },
  { area: 'content', file: 'content.errors.ts', value: contentContent },
  { area: 'contract', file: 'contract.errors.ts', value: contractContract },
  { area: 'eval', file: 'eval.errors.ts', value: evalEval },
  { area: 'facts', file: 'facts.errors.ts', value: factsFacts },
  { area: 'health', file: 'health.errors.ts', value: healthHealth },
  { area: 'ingest', file: 'ingest.errors.ts', value: ingestIngest },
  { area: 'pages', file: 'pages.errors.ts', value: pagesPages },
  { area: 'protocol', file: 'protocol.errors.ts', value: protocolProtocol },
  { area: 'setup', file: 'harness.errors.ts', value: setupHarness },
  { area: 'setup', file: 'setup.errors.ts', value: setupSetup },
  { area: 'sources', file: 'source-admin.errors.ts', value: sourcesSourceAdmin },
  { area: 'sources', file: 'sources.errors.ts', value: sourcesSources },
  { area: 'spend', file: 'spend.errors.ts', value: spendSpend },
  { area: 'transcripts', file: 'transcripts.errors.ts', value: transcriptsTranscripts },
  { area: 'vectors', file: 'vectors.errors.ts', value: vectorsVectors },
  { area: 'writes', file: 'writes.errors.ts', value: writesWrites },
];
