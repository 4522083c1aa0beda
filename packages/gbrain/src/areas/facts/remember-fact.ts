// remember, for one fact: the call checked, its entity found, and the write submitted. What becomes of the fact is
// decided in the transaction, by decide-fact.
import type { Context } from '../../context.ts';
import { type Raised, raise } from '../../failure.ts';
import { isAnonymous, mentionsOf, resolveEntity } from '../entities/resolve-entity.ts';
import { parseSlug, slugFromTitle } from '../pages/slug.ts';
import type { SecretDetector } from '../secrets/detector.ts';
import { type Admitted, submitWrite } from '../writes/submit.ts';
import { claimOf } from './claims.ts';
import { commitFact, type FactJudgement } from './commit-fact.ts';
import { askedOf, decideFact, standingReads } from './decide-fact.ts';
import { FACT_CHARS_MAX, factTerms, fingerprintOf, PROVENANCE_CHARS_MAX } from './fact.ts';
import { parseMoment, parseTtl, ttlOfIso } from './moments.ts';
import { meaningOf } from './near-duplicate.ts';
import { type ReadyFact, type Remembered, refuse, type Subject } from './remembered.ts';
import { namesOf } from './statement.ts';

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
  valid_from?: string | undefined;
  derived_from?: readonly string[] | undefined;
  request_id?: string | undefined;
}

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
    const ours = ttlOfIso(input.ttl);
    if (!end.ok) refuse({ param: 'ttl', expected: end.expected, ...(ours && { corrected: { ...input, ttl: ours } }) });
  }
  const entity = input.entity?.trim();
  if (entity && (entity.length > 512 || isAnonymous(entity))) {
    refuse({ param: 'entity', expected: 'the name or slug of somebody or something that has one' });
  }
  const validFrom = input.valid_from === undefined ? undefined : parseMoment(input.valid_from.trim());
  if (input.valid_from !== undefined && !(validFrom && validFrom <= now)) {
    refuse({ param: 'valid_from', expected: 'an ISO day or timestamp that is not in the future' });
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
    premises: premisesOf(input.derived_from),
    ...(validFrom && { validFrom: validFrom.toISOString() }),
    contentOrigin: input.content_origin ?? null,
    ...(entity && { entity }),
    inferEntity: input.infer_entity ?? true,
  };
}

/** Most premises of one fact. */
const PREMISES_MAX = 20;

function premisesOf(given: readonly string[] = []): number[] {
  const ids = given.map((id) => parseFactId(id) ?? refuse({ param: 'derived_from', expected: FACT_ID_EXPECTED }));
  if (ids.length > PREMISES_MAX) refuse({ param: 'derived_from', expected: `at most ${PREMISES_MAX} ids` });
  return [...new Set(ids)];
}

/** What a fact's id is, for a refusal. */
export const FACT_ID_EXPECTED = 'the id of a fact as recall and remember give it, a whole number; never a slug';

/** The number of a fact's id; undefined for anything else. */
export function parseFactId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Whom a fact is about: the entity that was named, else the one page that its text mentions. */
async function subjectOf(ctx: Context, ready: ReadyFact): Promise<Subject> {
  const { store } = ctx.brain;
  const [mentions, found] = await Promise.all([
    mentionsOf(store, ctx.scope, ready.fact),
    ready.entity === undefined ? undefined : resolveEntity(store, ctx.scope, ready.entity),
  ]);
  const named = mentions.pages.map(({ page, names }) => ({
    title: page.title,
    names: namesOf(page.slug, page.title, ...names),
  }));
  if (found?.kind === 'page') {
    const { slug, title } = found.page;
    const own = { title, names: namesOf(slug, title, ready.entity!) };
    return { slug, self: title, warnings: [], named: [...named, own] };
  }
  if (ready.entity !== undefined) {
    const parsed = parseSlug(ready.entity);
    const isSlug = parsed.ok && (ready.entity.includes('/') || parsed.slug === ready.entity);
    const slug = isSlug ? parsed.slug : slugFromTitle(ready.entity);
    const names = namesOf(slug, ready.entity);
    const self = names.at(-1)!;
    return { slug, self, warnings: ['ENTITY_LINK_FAILED'], named: [...named, { title: self, names }] };
  }
  const [only, ...others] = mentions.pages;
  if (ready.inferEntity && only && others.length === 0 && !mentions.isAmbiguous)
    return { slug: only.page.slug, self: only.page.title, inferred: true, warnings: [], named };
  return { slug: null, warnings: ['NO_ENTITY'], named };
}

/** A checked fact on the way into its write. */
export interface JudgedFact {
  /** Entity that it is about, for the list of requests; empty when there is none. */
  slug: string;
  /** How it is decided on, once its write is admitted. */
  judgement(admitted: Admitted): FactJudgement;
}

/** Finds out what a fact is about and what it says, and gives how it is decided on: the one way of every writer. */
export async function judgeFact(ctx: Context, ready: ReadyFact): Promise<JudgedFact> {
  const subject = await subjectOf(ctx, ready);
  const terms = factTerms(ready.fact);
  const said = claimOf(ready.fact, subject);
  const meaning = await meaningOf(ctx, ready);
  return {
    slug: subject.slug ?? '',
    judgement: (admitted) => {
      const asked = askedOf({ ctx, admitted, ready, subject, terms, said, meaning });
      return {
        // Whom a correction is about may only be told by what it corrects.
        reads: ready.replaces === undefined ? standingReads(asked, subject) : [],
        decide: (tx, { newId, rows }) => decideFact({ ...asked, tx, newId }, rows),
      };
    },
  };
}

/** Remembers one fact that was checked; the same request again gives the same answer. */
export async function rememberFact(ctx: Context, ready: ReadyFact, requestId?: string): Promise<Remembered> {
  const { slug, judgement } = await judgeFact(ctx, ready);
  const input = { ...asked(ready), ...(requestId !== undefined && { request_id: requestId }) };
  const at = { operation: 'remember', slug, input };
  const committed = await submitWrite(ctx, at, (admitted, signal) =>
    commitFact(ctx.brain.store, { ...admitted, ...at, scope: ctx.scope }, judgement(admitted), { signal }),
  );
  const outcome = committed.outcome as unknown as Remembered;
  return { ...outcome, request_id: committed.clientRequestId ?? committed.requestId ?? '' };
}

/** Refuses one fact with a receipt of its own; of the text only its digest is kept. Always raises. */
export async function refuseFact(ctx: Context, refused: Raised, text: string, requestId: string): Promise<never> {
  const input = { refused: fingerprintOf(text), request_id: requestId };
  const at = { operation: 'remember', slug: '', input };
  const decide = () => Promise.reject(refused);
  await submitWrite(ctx, at, (admitted, signal) =>
    commitFact(ctx.brain.store, { ...admitted, ...at, scope: ctx.scope }, { decide }, { signal }),
  );
  throw refused;
}

/** What a request asks, for its hash: what the caller gave, not what it was taken to mean. */
const asked = (ready: ReadyFact): Record<string, unknown> => ({ ...ready, replaces: ready.replaces ?? null });
