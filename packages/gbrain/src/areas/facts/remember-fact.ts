// remember, for one fact: the call checked, its entity found, and the decision of duplicate, supersession or insert.
// Deterministic: no model takes part, so only the same text counts as a duplicate.
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import type { Tx } from '../../store/store.ts';
import { isAnonymous, mentionedEntity, resolveEntity } from '../entities/resolve-entity.ts';
import { parseSlug, slugFromTitle } from '../pages/slug.ts';
import type { SecretDetector } from '../secrets/detector.ts';
import type { Admitted } from '../writes/submit.ts';
import { submitWrite } from '../writes/submit.ts';
import { commitFact, type FactChange } from './commit-fact.ts';
import { FACT_CHARS_MAX, factTerms, fingerprintOf, PROTOCOL_VERSION, PROVENANCE_CHARS_MAX } from './fact.ts';
import { endFact, factForUpdate, insertFact, type LockedFact, sameFacts, seeAgain, withdrawalOf } from './facts.sql.ts';
import { parseTtl } from './moments.ts';

/** A fact as it was asked to be remembered. */
export interface RememberInput {
  fact?: string | undefined;
  provenance?: string | undefined;
  ttl?: string | undefined;
  entity?: string | undefined;
  infer_entity?: boolean | undefined;
  kind?: string | undefined;
  visibility?: string | undefined;
  replaces?: string | undefined;
  content_origin?: string | undefined;
  request_id?: string | undefined;
}

/** Warnings of a fact that was kept all the same. */
export type RememberWarning = 'NO_ENTITY' | 'ENTITY_LINK_FAILED';

/** What became of a fact. */
export interface Remembered {
  protocol_version: 1;
  id: string;
  status: 'inserted' | 'duplicate' | 'superseded';
  status_text: string;
  entity_slug: string | null;
  valid_until: string | null;
  request_id?: string;
  degraded_dedup?: true;
  superseded_fact_id?: string;
  replaced_by_caller?: true;
  entity_inferred?: 'mention';
  warnings?: RememberWarning[];
  hint?: string;
}

/** A fact that may be written: checked, with its moments and its entity. */
export interface ReadyFact {
  fact: string;
  provenance: string;
  kind: string;
  visibility: string;
  ttl?: string;
  replaces?: number;
  contentOrigin: string | null;
  entity?: string;
  inferEntity: boolean;
}

interface Refusal {
  param: string;
  problem?: 'missing' | 'shape' | 'range';
  expected?: string;
  message?: string;
  advice?: string;
  reason?: string;
}

const refuse = (at: Refusal): never => raise('invalid_params', { tool: 'remember', problem: 'shape', ...at });

function checkText(secrets: SecretDetector, param: 'fact' | 'provenance', text: string, max: number): void {
  if (text.includes('\u0000') || !text.isWellFormed()) {
    refuse({ param, expected: 'text without NUL characters and lone surrogates' });
  }
  if (text.length > max) {
    refuse({ param, expected: `at most ${max} characters; ${text.length} were given`, reason: 'too_long' });
  }
  const [secret] = secrets.find(text);
  if (!secret) return;
  refuse({
    param,
    reason: 'secret_detected',
    message: `secret_detected: \`${param}\` holds a credential (${secret.rule}); nothing was saved.`,
    advice: 'Leave the credential out and say where it is kept instead.',
  });
}

/** Checks one fact without touching the brain. Raises `invalid_params` and `provenance_required`. */
export function checkFact(input: RememberInput, now: Date, secrets: SecretDetector): ReadyFact {
  const fact = (input.fact ?? '').trim();
  const provenance = (input.provenance ?? '').trim();
  if (fact === '') refuse({ param: 'fact', problem: 'missing' });
  if (provenance === '') raise('provenance_required', { fact: fact.slice(0, 60) });
  checkText(secrets, 'fact', fact, FACT_CHARS_MAX);
  checkText(secrets, 'provenance', provenance, PROVENANCE_CHARS_MAX);
  if (input.ttl !== undefined) {
    const end = parseTtl(input.ttl, now);
    if (!end.ok) refuse({ param: 'ttl', expected: end.expected });
  }
  const entity = input.entity?.trim();
  if (entity && (entity.length > 512 || isAnonymous(entity))) {
    refuse({ param: 'entity', expected: 'the name or slug of somebody or something that has one' });
  }
  const replaces = input.replaces === undefined ? undefined : parseFactId(input.replaces);
  if (input.replaces !== undefined && replaces === undefined) refuse({ param: 'replaces', expected: FACT_ID_EXPECTED });
  return {
    fact,
    provenance,
    kind: input.kind ?? 'fact',
    visibility: input.visibility ?? 'world',
    ...(input.ttl !== undefined && { ttl: input.ttl }),
    ...(replaces !== undefined && { replaces }),
    contentOrigin: input.content_origin ?? null,
    ...(entity && { entity }),
    inferEntity: input.infer_entity ?? true,
  };
}

/** What a fact's id is, for a refusal. */
export const FACT_ID_EXPECTED = 'the id of a fact as recall and remember give it, a whole number; never a slug';

/** The number of a fact's id; undefined for anything else. */
export function parseFactId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

interface Subject {
  slug: string | null;
  inferred?: true;
  warnings: RememberWarning[];
}

/** Whom a fact is about: the entity that was named, else the one page that its text mentions. */
async function subjectOf(ctx: Context, ready: ReadyFact): Promise<Subject> {
  const { store } = ctx.brain;
  if (ready.entity !== undefined) {
    const found = await resolveEntity(store, ctx.scope, ready.entity);
    if (found.kind === 'page') return { slug: found.page.slug, warnings: [] };
    const parsed = parseSlug(ready.entity);
    const isSlug = parsed.ok && (ready.entity.includes('/') || parsed.slug === ready.entity);
    return { slug: isSlug ? parsed.slug : slugFromTitle(ready.entity), warnings: ['ENTITY_LINK_FAILED'] };
  }
  const mentioned = ready.inferEntity ? await mentionedEntity(store, ctx.scope, ready.fact) : undefined;
  if (mentioned) return { slug: mentioned.slug, inferred: true, warnings: [] };
  return { slug: null, warnings: ['NO_ENTITY'] };
}

const HINTS: Record<RememberWarning, string> = {
  NO_ENTITY: 'Saved without an entity; name one in `entity` so that entity and context_pack find it.',
  ENTITY_LINK_FAILED: 'No page is called so; the fact is kept under the slug and found by it.',
};

/** Remembers one fact that was checked; the same request again gives the same answer. */
export async function rememberFact(ctx: Context, ready: ReadyFact, requestId?: string): Promise<Remembered> {
  const subject = await subjectOf(ctx, ready);
  const terms = factTerms(ready.fact);
  const input = { ...asked(ready), ...(requestId !== undefined && { request_id: requestId }) };
  const at = { operation: 'remember', slug: subject.slug ?? '', input };
  const committed = await submitWrite(ctx, at, (admitted, signal) =>
    commitFact(
      ctx.brain.store,
      { ...admitted, ...at, scope: ctx.scope },
      (tx, newId) => decide({ tx, ctx, admitted, newId, ready, subject, terms }),
      { signal },
    ),
  );
  const outcome = committed.outcome as unknown as Remembered;
  return { ...outcome, request_id: committed.clientRequestId ?? committed.requestId ?? '' };
}

/** What a request asks, for its hash: what the caller gave, not what it was taken to mean. */
const asked = (ready: ReadyFact): Record<string, unknown> => ({ ...ready, replaces: ready.replaces ?? null });

interface Decision {
  tx: Tx;
  ctx: Context;
  admitted: Admitted;
  newId: number;
  ready: ReadyFact;
  subject: Subject;
  terms: readonly string[];
}

async function decide(on: Decision): Promise<FactChange> {
  const { tx, ctx, admitted, ready, newId } = on;
  const target = ready.replaces === undefined ? undefined : await targetOf(tx, ctx, ready.replaces);
  const subject = target ? inheritSubject(on.subject, target, ready) : on.subject;
  const { at } = admitted;
  const end = ready.ttl === undefined ? undefined : parseTtl(ready.ttl, at);
  if (end && !end.ok) return refuse({ param: 'ttl', expected: end.expected });
  const validUntil = end?.at ?? null;
  const identity = { sourceId: admitted.sourceId, fingerprint: fingerprintOf(ready.fact), entitySlug: subject.slug };
  const [same = [], withdrawals = []] = await tx.batch([
    sameFacts({ ...identity, visibility: ready.visibility, now: at }),
    withdrawalOf(identity),
  ]);
  if (withdrawals.length > 0) {
    refuse({
      param: 'fact',
      reason: 'fact_withdrawn',
      message: 'fact_withdrawn: this text was forgotten on request and is not saved again.',
      advice: 'Tell the user; if it holds after all, save it in other words.',
    });
  }
  const rows = same as unknown as { id: number; valid_until: Date | null }[];
  const over = rows.filter((row) => row.valid_until !== null && row.valid_until <= at);
  const standing = rows.find((row) => !over.includes(row));
  if (standing) {
    if (target) {
      refuse({
        param: 'replaces',
        reason: 'replaces_duplicate',
        message: `replaces_duplicate: fact ${standing.id} says this already; nothing was replaced.`,
      });
    }
    return duplicate(standing, validUntil, subject, at);
  }
  const { writer } = admitted;
  const insert = insertFact({
    ...identity,
    id: newId,
    fact: ready.fact,
    terms: on.terms,
    kind: ready.kind,
    visibility: ready.visibility,
    validUntil,
    source: ready.provenance,
    contentOrigin: ready.contentOrigin,
    trustTier: writer.trustTier,
    principal: writer.principal,
    ...(writer.session && { session: writer.session }),
    at,
  });
  const ended = over.map((row) => endFact(row.id, at, { reason: 'ttl' }));
  const replaced = target ? [endFact(target.id, at, { by: newId, reason: 'superseded' })] : [];
  return { statements: [...ended, insert, ...replaced], outcome: { ...outcomeOf(newId, subject, validUntil, target) } };
}

function duplicate(
  row: { id: number; valid_until: Date | null },
  wanted: Date | null,
  subject: Subject,
  at: Date,
): FactChange {
  const isForever = row.valid_until === null || wanted === null;
  const validUntil = isForever ? null : new Date(Math.max(row.valid_until!.getTime(), wanted!.getTime()));
  return {
    statements: [seeAgain(row.id, validUntil, at)],
    outcome: {
      protocol_version: PROTOCOL_VERSION,
      id: String(row.id),
      status: 'duplicate',
      status_text: 'Already known; this text has been saved before.',
      ...subjectKeys(subject, validUntil),
    },
  };
}

const subjectKeys = (subject: Subject, validUntil: Date | null) => ({
  entity_slug: subject.slug,
  valid_until: validUntil?.toISOString() ?? null,
  degraded_dedup: true as const,
  ...(subject.inferred && { entity_inferred: 'mention' as const }),
  ...(subject.warnings.length > 0 && { warnings: subject.warnings, hint: HINTS[subject.warnings[0]!] }),
});

function outcomeOf(id: number, subject: Subject, validUntil: Date | null, target?: LockedFact): Remembered {
  return {
    protocol_version: PROTOCOL_VERSION,
    id: String(id),
    status: target ? 'superseded' : 'inserted',
    status_text: target ? `Saved in place of fact ${target.id}.` : 'Saved.',
    ...subjectKeys(subject, validUntil),
    ...(target && { superseded_fact_id: String(target.id), replaced_by_caller: true }),
  };
}

/** The fact that is to be replaced, locked; refused when it no longer stands or has its home in a page. */
async function targetOf(tx: Tx, ctx: Context, id: number): Promise<LockedFact> {
  const [row] = await tx.query<LockedFact>(factForUpdate(ctx.scope, id));
  if (!row || row.source_id !== ctx.target.source) raise('not_found', { what: 'fact', id: String(id) });
  const no = (reason: string, why: string): never =>
    refuse({ param: 'replaces', reason, message: `${reason}: fact ${id} ${why}; nothing was saved.` });
  if (row.is_withdrawn) no('target_withdrawn', 'was forgotten on request');
  if (row.superseded_by !== null) no('target_superseded', `was replaced by fact ${row.superseded_by}`);
  const isOver = row.expired_at !== null || (row.valid_until !== null && row.valid_until <= ctx.now());
  if (isOver) no('target_expired', 'no longer holds');
  if (row.page_id !== null) no('replaces_cross_page', 'stands in a page; edit the page instead');
  return row;
}

function inheritSubject(subject: Subject, target: LockedFact, ready: ReadyFact): Subject {
  if (target.entity_slug === subject.slug) return subject;
  if (ready.entity === undefined) return { slug: target.entity_slug, warnings: [] };
  return refuse({
    param: 'replaces',
    reason: 'replaces_entity_mismatch',
    message: `replaces_entity_mismatch: fact ${target.id} is about ${target.entity_slug ?? 'no entity'}.`,
  });
}
