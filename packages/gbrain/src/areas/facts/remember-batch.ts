// remember, for a batch: all facts are checked before the first is written, and each has a receipt of its own. A fact
// that cannot be read refuses the batch; one that must not be kept, such as a credential, is refused by itself.
import type { Context } from '../../context.ts';
import { Raised, raise } from '../../failure.ts';
import { failureOf } from '../../pipeline/normalise.ts';
import { type SecretDetector, secretDetector } from '../secrets/detector.ts';
import { parseRequestId } from '../writes/request-id.ts';
import { badRequestId } from '../writes/submit.ts';
import { PROTOCOL_VERSION } from './fact.ts';
import { checkFact, type RememberInput, refuseFact, rememberFact } from './remember-fact.ts';
import type { ReadyFact } from './remembered.ts';

/** Most facts of one batch. Source: facts/contract G.6. */
export const ITEMS_MAX = 20;

/** What became of one fact of a batch. */
export interface BatchItem {
  index: number;
  request_id: string;
  status: 'inserted' | 'duplicate' | 'superseded' | 'failed';
  id?: string;
  entity_slug?: string | null;
  superseded_fact_id?: string;
  warnings?: string[];
  valid_until?: string | null;
  error?: { code: string; message: string };
}

/** What became of a batch. */
export interface BatchReply {
  protocol_version: 1;
  request_id: string;
  client_request_id?: string;
  items: BatchItem[];
  saved: number;
  failed: number;
  partial: boolean;
  hints?: string[];
}

/** A fact of a batch that may be written, or the refusal that is its own. */
type Checked = ReadyFact | { refused: Raised; fact: string };

/** Checks every fact; the first that cannot be read refuses the batch, by its place. */
function checkAll(
  items: readonly RememberInput[],
  shared: RememberInput,
  now: Date,
  secrets: SecretDetector,
): Checked[] {
  return items.map((item, index) => {
    const fact = { ...shared, ...item };
    try {
      return checkFact(fact, now, secrets);
    } catch (error) {
      if (!(error instanceof Raised)) throw error;
      const param = `items[${index}].${String(error.data.param ?? 'provenance')}`;
      const { corrected: _, ...said } = error.data;
      const data = { ...said, index, param };
      if (error.data.reason !== 'secret_detected') return raise(error.code, data);
      return { refused: new Raised(error.code, data), fact: `${fact.fact}\n${fact.provenance}` };
    }
  });
}

/** Remembers up to 20 facts. The same batch under the same id gives the same answer for what was saved. */
export async function rememberBatch(
  ctx: Context,
  items: readonly RememberInput[],
  shared: RememberInput & { request_id?: string | undefined },
): Promise<BatchReply> {
  if (items.length === 0 || items.length > ITEMS_MAX) {
    raise('invalid_params', {
      tool: 'remember',
      param: 'items',
      problem: 'shape',
      expected: `1 to ${ITEMS_MAX} facts`,
    });
  }
  const { request_id, ...defaults } = shared;
  const ready = checkAll(items, defaults, ctx.now(), await secretDetector());
  const id = parseRequestId(request_id ?? ctx.newId());
  if (!id) return ctx.fail('invalid_params', badRequestId('remember'));
  const done: BatchItem[] = [];
  for (const [index, fact] of ready.entries()) done.push(await one(ctx, fact, index, `${id.requestId}/${index}`));
  const failed = done.filter((item) => item.status === 'failed').length;
  const lacking = done.some((item) => item.warnings?.includes('NO_ENTITY'));
  return {
    protocol_version: PROTOCOL_VERSION,
    request_id: id.requestId,
    ...(id.clientRequestId !== undefined && { client_request_id: id.clientRequestId }),
    items: done,
    saved: done.length - failed,
    failed,
    partial: failed > 0 && failed < done.length,
    ...(lacking && { hints: ['Name an `entity` for facts without one, so that entity and context_pack find them.'] }),
  };
}

async function one(ctx: Context, checked: Checked, index: number, requestId: string): Promise<BatchItem> {
  const request_id = parseRequestId(requestId)!.requestId;
  try {
    if ('refused' in checked) return await refuseFact(ctx, checked.refused, checked.fact, requestId);
    const saved = await rememberFact(ctx, checked, requestId);
    const { id, status, entity_slug, superseded_fact_id, warnings, valid_until } = saved;
    return {
      index,
      request_id,
      status,
      id,
      entity_slug,
      valid_until,
      ...(superseded_fact_id !== undefined && { superseded_fact_id }),
      ...(warnings && { warnings }),
    };
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    const point = { operation: 'remember', input: {}, mutating: true, idempotent: true };
    const { code, message } = failureOf(ctx.host.registry, error.code, error.data, point);
    return { index, request_id, status: 'failed', error: { code, message } };
  }
}
