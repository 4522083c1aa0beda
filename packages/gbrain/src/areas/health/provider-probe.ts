// The live probe of the embedding provider: one tiny request, made only when it was asked for by name and the user has
// agreed, or where the model is a local one that bills nothing. Source: AGENT_OPERATOR v1, Looking never spends.
import type { ConsentRequest } from '@gbrain/wire/envelope';
import type { CheckResult } from '../../check.ts';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type FixSpec, toAction } from '../../fix.ts';
import type { Host } from '../../host.ts';
import { describeFault, ProviderFault } from '../../providers/provider-fault.ts';
import { NO_PURSE } from '../../providers/purse.ts';
import type { Store } from '../../store/store.ts';
import { currentModel } from '../models/find-model.ts';
import { openDayPurse } from '../spend/purse.ts';
import { callEmbedder, wantedEmbedder } from '../vectors/embedder.ts';
import { toUnit } from '../vectors/packed-vector.ts';

/** Name of the check that probes. */
export const EMBEDDING_PROVIDER = 'embedding_provider';

const PROBE_TIMEOUT_MS = 8_000;
const EFFECTS = ['paid', 'egress'] as const;

const question = (ref: string): string =>
  `Probing ${ref} sends it one word and costs a fraction of a cent. OK to proceed?`;

/** Whether a call of the doctor asks for the probe. */
export const asksForProbe = ({ only, probe }: { only?: readonly string[] | undefined; probe?: boolean | undefined }) =>
  probe === true && only?.includes(EMBEDDING_PROVIDER) === true;

/** The fix that runs the probe. */
export const probeFix = (ref: string): FixSpec => ({
  call: { op: 'run_doctor', input: { only: [EMBEDDING_PROVIDER], probe: true } },
  argvTail: ['--yes'],
  consent: EFFECTS,
  userMessage: question(ref),
  why: 'It sends one word to the provider and says what came back.',
});

/** The agreement that a probe needs; none where nothing is configured, and for a local model. */
export async function probeConsent(ctx: Context, input: Record<string, unknown>): Promise<ConsentRequest | undefined> {
  if (!asksForProbe(input)) return undefined;
  const found = await currentModel(ctx.host, 'embedding');
  if ('none' in found || found.model.isFree) return undefined;
  const { registry } = ctx.host;
  const { ref, provider } = found.model;
  const why = `${ref} is configured; only a call tells whether it answers.`;
  const call = { op: 'run_doctor', input };
  const approve = toAction(registry, { call, consent: EFFECTS, why });
  const operation = registry.operation('run_doctor');
  if (!approve || !operation) throw new Error('run_doctor is not registered');
  return {
    effects: [...EFFECTS],
    actor: 'agent',
    what: 'run_doctor',
    why,
    risk: `It sends one word to ${provider}; nothing of the brain leaves this machine, and nothing is changed.`,
    est_usd: null,
    user_message: question(ref),
    approve,
    preview_argv: callArgv(operation, { only: [EMBEDDING_PROVIDER] }),
  };
}

/** Asks the provider for one vector. */
export async function probeEmbedding(
  { store, host, signal }: { store: Store; host: Host; signal: AbortSignal },
  ref: string,
): Promise<CheckResult> {
  const tier = 'probed' as const;
  const startedMs = performance.now();
  const failed = (why: string): CheckResult => ({
    status: 'warn',
    message: `${why}; search finds by words`,
    details: { model: ref },
    readiness: { state: 'degraded', reason: 'probe_failed', tier },
    fix: {
      call: { op: 'providers_list', input: {} },
      actor: 'user',
      why: 'It shows which providers there are, which have a key, and the variable that holds each key.',
    },
  });
  try {
    const embedder = await wantedEmbedder(host);
    if ('none' in embedder) return failed(`${ref} cannot be used (${embedder.none})`);
    const purse = embedder.model.isFree ? NO_PURSE : await openDayPurse({ store, host }, 'run_doctor');
    const terms = { purse, purpose: 'probe' as const, timeoutMs: PROBE_TIMEOUT_MS, signal };
    const { value } = await callEmbedder(embedder, ['probe'], 'query', terms);
    const vector = toUnit(value[0], embedder.dimensions);
    if (!(vector instanceof Float32Array)) return failed(`${ref} gave no vector that can be used (${vector})`);
    const ms = Math.round(performance.now() - startedMs);
    return {
      status: 'ok',
      message: `${ref} answered in ${ms} ms with ${embedder.dimensions} numbers`,
      details: { model: ref, dimensions: embedder.dimensions },
      readiness: { state: 'ok', reason: 'probed', tier },
    };
  } catch (error) {
    if (error instanceof ProviderFault) return failed(describeFault(error));
    throw error;
  }
}
