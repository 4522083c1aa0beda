// What becomes of a fact, decided in its transaction: a duplicate in the same or other words, an update, a fact that
// stands against another source, or a new one. Deterministic: no model takes part, and nothing is resolved in silence.
import type { Context } from '../../context.ts';
import type { Sql, Tx } from '../../store/store.ts';
import { embedHash } from '../vectors/embed-input.ts';
import type { Admitted } from '../writes/submit.ts';
import { chatterOf } from './chatter.ts';
import { clash, type Said } from './claims.ts';
import type { FactChange } from './commit-fact.ts';
import { fingerprintOf, PROTOCOL_VERSION, sameText } from './fact.ts';
import {
  endFact,
  factForUpdate,
  heirOf,
  insertFact,
  type LockedFact,
  lockMatter,
  nearFacts,
  type RelatedFact,
  relatedFacts,
  seeAgain,
  unknownFacts,
  withdrawalOf,
} from './facts.sql.ts';
import { parseTtl } from './moments.ts';
import { type Meaning, type NearFact, saysTheSame } from './near-duplicate.ts';
import { echoOf } from './recent-recalls.ts';
import {
  type ReadyFact,
  type Remembered,
  type RememberWarning,
  refuse,
  refuseUnknown,
  type Subject,
} from './remembered.ts';
import { gistOf } from './statement.ts';

/** A fact that was asked to be kept. */
export interface Asked {
  ctx: Context;
  admitted: Admitted;
  ready: ReadyFact;
  subject: Subject;
  terms: readonly string[];
  said: Said;
  /** What its vector tells, where facts are compared by meaning. */
  meaning?: Meaning | undefined;
}

/** A fact that is to be decided on. */
export interface Decision extends Asked {
  tx: Tx;
  /** Id of the fact if it becomes a new one. */
  newId: number;
}

/** The facts that bear on the decision. */
interface Standing {
  /** The same text or the same in other words, of the same visibility, which holds. */
  same?: RelatedFact;
  /** Of the same text, past its time. */
  over: readonly RelatedFact[];
  /** Replaced facts that said the same. */
  replaced: readonly RelatedFact[];
  /** Facts that hold and say otherwise. */
  clashing: readonly RelatedFact[];
}

/** What is asked, with what it says of today. */
export const askedOf = (asked: Asked): Asked => ({ ...asked, said: presentOf(asked.said, asked.admitted.at) });

/**
 * Decides on one fact; `rows` are those of `standingReads`, where they were read. Raises `invalid_params` with a
 * reason, and `not_found`.
 */
export async function decideFact(on: Decision, rows: readonly Record<string, unknown>[][]): Promise<FactChange> {
  const change = await decide(on, rows);
  if (!on.meaning) return change;
  const { degraded_dedup: _, ...outcome } = change.outcome;
  return { statements: [...change.statements, ...on.meaning.keep], outcome };
}

async function decide(on: Decision, rows: readonly Record<string, unknown>[][]): Promise<FactChange> {
  const { tx, ctx, admitted, ready } = on;
  refuseChatter(ready.fact);
  const target = ready.replaces === undefined ? undefined : await targetOf(tx, ctx, ready.replaces);
  const subject = target ? inheritSubject(on.subject, target, ready) : on.subject;
  const { at } = admitted;
  const end = ready.ttl === undefined ? undefined : parseTtl(ready.ttl, at);
  if (end && !end.ok) return refuse({ param: 'ttl', expected: end.expected });
  const validUntil = end?.at ?? null;
  await checkPremises(tx, ctx, ready.premises);
  const standing = standingOf(on, subject, target ? await tx.batch(standingReads(on, subject)) : rows);
  const { same } = standing;
  // A correction may be of the wording alone, but not of nothing.
  if (same && target && (same.id !== target.id || same.fingerprint === fingerprintOf(ready.fact))) {
    refuse({
      param: 'replaces',
      reason: 'replaces_duplicate',
      message: `replaces_duplicate: fact ${same.id} says this already; nothing was replaced.`,
    });
  }
  if (same && !target) return duplicate(on, { row: same, wanted: validUntil, subject, standing });
  if (!target) {
    const known = (await staleRepeat(on, standing, subject)) ?? echo(on, subject);
    if (known) return known;
  }
  const near = target ? undefined : await nearOf(on, subject);
  return insert(on, { subject, standing, validUntil, ...(target && { target }), ...(near && { near }) });
}

/** The fact that this one says anew in other words, as its vector and its words tell. Source: facts/engine E.1. */
async function nearOf(on: Decision, subject: Subject): Promise<NearFact | undefined> {
  const { tx, admitted, ready, meaning } = on;
  if (!meaning || meaning.near.length === 0) return undefined;
  const of = { sourceId: admitted.sourceId, entitySlug: subject.slug, now: admitted.at };
  const rows = await tx.query<NearFact>(nearFacts(of, meaning.near));
  return rows.find(
    (row) =>
      row.kind === ready.kind &&
      row.visibility === ready.visibility &&
      TRUST[admitted.writer.trustTier]! >= TRUST[row.trust_tier]! &&
      saysTheSame(ready.fact, row.fact, subject),
  );
}

/** What will hold from a later day says nothing of today, so it neither updates nor contradicts. */
function presentOf(said: Said, now: Date): Said {
  const since = said.claim?.since;
  return since !== undefined && new Date(since) > now ? { statement: said.statement } : said;
}

const CHATTER_WHY = {
  greeting: 'a greeting',
  acknowledgement: 'an acknowledgement',
  question: 'a question',
  narration: 'what an agent says while it works',
} as const;

function refuseChatter(text: string): void {
  const kind = chatterOf(text);
  if (!kind) return;
  refuse({
    param: 'fact',
    reason: 'transient_chatter',
    message: `transient_chatter: \`fact\` is ${CHATTER_WHY[kind]} and states nothing to remember; nothing was saved.`,
    advice: 'Save what is so, as one statement that is true by itself.',
  });
}

async function checkPremises(tx: Tx, ctx: Context, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const [unknown] = await unknownFacts(tx, ctx.scope, ids);
  if (unknown !== undefined) refuseUnknown(unknown);
}

const firstOf = (rows: readonly RelatedFact[], fingerprint: string): RelatedFact | undefined =>
  rows.find((row) => row.fingerprint === fingerprint) ?? rows[0];

const identityOf = ({ admitted, ready }: Asked, subject: Subject) => ({
  sourceId: admitted.sourceId,
  fingerprint: fingerprintOf(ready.fact),
  entitySlug: subject.slug,
});

/** What has to be read before it is decided. */
export function standingReads(on: Asked, subject: Subject): Sql[] {
  const { ctx, admitted, ready, said } = on;
  const seen = ctx.scope.visibility === 'all' ? ['world', 'private'] : ['world'];
  const { dimension = null, value = null } = said.claim ?? {};
  const identity = identityOf(on, subject);
  const says = { ...identity, gist: gistOf(said.statement), dimension, value, now: admitted.at };
  const looked = { ...says, visibilities: [...new Set([...seen, ready.visibility])] };
  return [lockMatter(looked), relatedFacts(looked), withdrawalOf(identity)];
}

function standingOf(on: Decision, subject: Subject, read: readonly Record<string, unknown>[][]): Standing {
  const { admitted, ready, said } = on;
  const { at } = admitted;
  const { fingerprint } = identityOf(on, subject);
  const gist = gistOf(said.statement);
  const { dimension = null, value = null } = said.claim ?? {};
  const [, rows = [], withdrawals = []] = read;
  const related = rows as unknown as RelatedFact[];
  const alike = related.filter((row) => isAlike(row, { fingerprint, gist, ready, subject, said }));
  if (
    withdrawals.length > 0 ||
    alike.some((row) => row.is_withdrawn && (row.fingerprint === fingerprint || row.gist === gist))
  ) {
    refuse({
      param: 'fact',
      reason: 'fact_withdrawn',
      message: 'fact_withdrawn: this was forgotten on request and is not saved again.',
      advice: 'Tell the user; if it holds after all, save what is so now as another statement.',
    });
  }
  const isOver = (row: RelatedFact): boolean => row.valid_until !== null && row.valid_until <= at;
  const holding = related.filter((row) => row.expired_at === null && !isOver(row));
  const same = firstOf(
    holding.filter((row) => alike.includes(row)),
    fingerprint,
  );
  return {
    ...(same && { same }),
    over: alike.filter((row) => row.expired_at === null && isOver(row) && row.fingerprint === fingerprint),
    replaced: alike.filter((row) => row.expired_at !== null && row.superseded_by !== null),
    clashing: holding.filter(
      (row) =>
        value !== null &&
        row.value !== null &&
        row.dimension === dimension &&
        isAboutSame(row, subject) &&
        clash(row.value, value),
    ),
  };
}

interface Alike {
  fingerprint: string;
  gist: string;
  ready: ReadyFact;
  subject: Subject;
  said: Said;
}

/** The same text about the same entity, the same statement, or one that says no more than what is claimed. */
function isAlike(row: RelatedFact, { fingerprint, gist, ready, subject, said: { claim } }: Alike): boolean {
  if (row.visibility !== ready.visibility) return false;
  if (row.fingerprint === fingerprint) return row.entity_slug === subject.slug;
  const isClaim = claim?.isWhole && row.kind === ready.kind && row.dimension === claim.dimension;
  const isSame = (gist !== '' && row.gist === gist) || (isClaim && row.value === claim.value);
  if (!isSame) return false;
  return isAboutSame(row, subject);
}

/** Two of one name may be two; a fact without an entity names in its words whom it is about. */
const isAboutSame = (row: RelatedFact, { slug }: Subject): boolean =>
  row.entity_slug === slug || row.entity_slug === null || slug === null;

/** What was said before and was replaced since is not news, unless the words say that something changed again. */
async function staleRepeat(on: Decision, standing: Standing, subject: Subject): Promise<FactChange | undefined> {
  const { tx, admitted, ready, said } = on;
  if (said.statement.isChange || ready.validFrom !== undefined) return undefined;
  for (const old of standing.replaced) {
    const [heir] = await tx.query<{ id: number }>(heirOf(old.id, admitted.at));
    if (!heir) continue;
    const status_text = `Known, and replaced since by fact ${heir.id}; nothing was saved.`;
    const hint = `If it holds again, save it with \`replaces\` set to ${heir.id}.`;
    return {
      statements: [],
      outcome: { ...known(old.id, status_text, subject, old.valid_until), superseded_by: String(heir.id), hint },
    };
  }
  return undefined;
}

/** A repetition of what this session has just been told; the user's own words are never one. */
function echo({ ctx, ready }: Decision, subject: Subject): FactChange | undefined {
  if (ready.contentOrigin === 'user_said') return undefined;
  const source = echoOf(ctx, ready.fact);
  if (!source) return undefined;
  if (source.factId !== undefined) {
    const status_text = `This repeats fact ${source.factId}, which was read a moment ago; nothing was saved.`;
    return { statements: [], outcome: { ...known(Number(source.factId), status_text, subject, null), echo: true } };
  }
  return refuse({
    param: 'fact',
    reason: 'echo_of_page',
    message: `echo_of_page: page ${source.slug} says this, and it was read a moment ago; nothing was saved.`,
    advice: 'Nothing is lost: the page is found as before. If the user said it, set `content_origin` to user_said.',
    fix: {
      call: { op: 'entity', input: { name: source.slug } },
      why: 'It shows what is known there already. Nothing was saved.',
    },
  });
}

const known = (id: number, status_text: string, subject: Subject, validUntil: Date | null) => ({
  protocol_version: PROTOCOL_VERSION,
  id: String(id),
  status: 'duplicate' as const,
  status_text,
  ...subjectKeys(subject, validUntil),
});

interface Repeat {
  row: RelatedFact;
  wanted: Date | null;
  subject: Subject;
  standing: Standing;
}

/** Told again: it is seen anew, and what it updates ends, as it would for a new fact. */
function duplicate(on: Decision, { row, wanted, subject, standing }: Repeat): FactChange {
  const isForever = row.valid_until === null || wanted === null;
  const validUntil = isForever ? null : new Date(Math.max(row.valid_until!.getTime(), wanted!.getTime()));
  const isNear = row.fingerprint !== fingerprintOf(on.ready.fact);
  const status_text = isNear ? 'Already known in other words.' : 'Already known; this text has been saved before.';
  const { at } = on.admitted;
  const ended = standing.clashing.filter((one) => mayReplace(on, one)).map(({ id }) => id);
  return {
    statements: [
      seeAgain(row.id, validUntil, at),
      ...ended.map((id) => endFact(id, at, { by: row.id, reason: 'superseded' })),
    ],
    outcome: {
      ...known(row.id, status_text, subject, validUntil),
      ...(isNear && { near_duplicate: true }),
      ...(ended.length > 0 && outcomeOf(row.id, subject, validUntil, ended)),
    },
  };
}

const HINTS: Record<RememberWarning, string> = {
  NO_ENTITY: 'Saved without an entity; name one in `entity` so that entity and context_pack find it.',
  ENTITY_LINK_FAILED: 'No page is called so; the fact is kept under the slug and found by it.',
};

const subjectKeys = (subject: Subject, validUntil: Date | null) => ({
  entity_slug: subject.slug,
  valid_until: validUntil?.toISOString() ?? null,
  degraded_dedup: true as const,
  ...(subject.inferred && { entity_inferred: 'mention' as const }),
  ...(subject.warnings.length > 0 && { warnings: subject.warnings, hint: HINTS[subject.warnings[0]!] }),
});

const TRUST: Record<string, number> = { external_untrusted: 0, agent_written: 1, owner: 2 };

/** Whether a fact may take the place of another that says otherwise: its words say so, or the same source says so. */
function mayReplace(on: Decision, old: RelatedFact): boolean {
  const { ready, said, admitted } = on;
  if (old.page_id !== null || old.visibility !== ready.visibility) return false;
  if (TRUST[admitted.writer.trustTier]! < TRUST[old.trust_tier]!) return false;
  return said.statement.isChange || sameText(old.source) === sameText(ready.provenance);
}

/** Since when a new fact holds: as it was given, as its words say, else from now on. */
function startOf({ ready, said, admitted }: Decision): Date {
  if (ready.validFrom !== undefined) return new Date(ready.validFrom);
  const since = said.claim?.since === undefined ? undefined : new Date(`${said.claim.since}T00:00:00.000Z`);
  return since && since <= admitted.at ? since : admitted.at;
}

interface Insertion {
  subject: Subject;
  standing: Standing;
  validUntil: Date | null;
  target?: LockedFact;
  /** It says the same in other words. */
  near?: NearFact;
}

function insert(on: Decision, { subject, standing, validUntil, target, near }: Insertion): FactChange {
  const { admitted, ready, newId, said } = on;
  const { at, writer } = admitted;
  const validFrom = startOf(on);
  const clashing = standing.clashing.filter(({ id }) => id !== target?.id);
  const updated = clashing.filter((row) => mayReplace(on, row));
  // News of a time before what is known now are history: the present stays as it is.
  const later = target ? undefined : updated.find((row) => row.valid_from > validFrom);
  const replaced = [target, ...updated, near].flatMap((one) => (one ? [one.id] : []));
  const ended = later ? [] : [...new Set(replaced)];
  const conflicts = clashing.filter((row) => !updated.includes(row)).map(({ id }) => String(id));
  const until = later ? later.valid_from : validUntil;
  const statement = insertFact({
    sourceId: admitted.sourceId,
    fingerprint: fingerprintOf(ready.fact),
    entitySlug: subject.slug,
    id: newId,
    uid: on.ctx.newId(),
    embedHash: embedHash({ title: '', headingPath: [], text: ready.fact }),
    gist: gistOf(said.statement),
    said: said.claim,
    number: said.claim?.number,
    premises: ready.premises,
    fact: ready.fact,
    terms: on.terms,
    kind: ready.kind,
    visibility: ready.visibility,
    validFrom,
    validUntil: until,
    supersededBy: later?.id ?? null,
    source: ready.provenance,
    contentOrigin: ready.contentOrigin,
    trustTier: writer.trustTier,
    principal: writer.principal,
    ...(writer.session && { session: writer.session }),
    sourceSession: ready.session ?? writer.session?.id ?? null,
    ...(ready.reading && { reading: ready.reading }),
    at,
  });
  const past = standing.over.map((row) => endFact(row.id, at, { reason: 'ttl' }));
  const ends = ended.map((id) => endFact(id, at, { by: newId, reason: 'superseded', since: validFrom }));
  return {
    statements: [...past, statement, ...ends],
    outcome: {
      ...outcomeOf(newId, subject, until, ended),
      ...(target && { replaced_by_caller: true }),
      ...(near && { near_duplicate: true }),
      ...(later && { superseded_by: String(later.id), status_text: `Saved as what was so before fact ${later.id}.` }),
      ...(conflicts.length > 0 && { conflicts_with: conflicts }),
    },
  };
}

function outcomeOf(id: number, subject: Subject, validUntil: Date | null, ended: readonly number[]): Remembered {
  return {
    protocol_version: PROTOCOL_VERSION,
    id: String(id),
    status: ended.length > 0 ? 'superseded' : 'inserted',
    status_text: ended.length > 0 ? `Saved in place of fact ${ended.join(', ')}.` : 'Saved.',
    ...subjectKeys(subject, validUntil),
    ...(ended.length > 0 && { superseded_fact_id: String(ended[0]) }),
    ...(ended.length > 1 && { superseded_fact_ids: ended.map(String) }),
  };
}

/** The fact that is to be replaced, locked; refused when it no longer stands or has its home in a page. */
async function targetOf(tx: Tx, ctx: Context, id: number): Promise<LockedFact> {
  const [row] = await tx.query<LockedFact>(factForUpdate(ctx.scope, id));
  if (!row || row.source_id !== ctx.target.source) return refuseUnknown(id);
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
  if (ready.entity === undefined) return { slug: target.entity_slug, warnings: [], named: subject.named };
  return refuse({
    param: 'replaces',
    reason: 'replaces_entity_mismatch',
    message: `replaces_entity_mismatch: fact ${target.id} is about ${target.entity_slug ?? 'no entity'}.`,
  });
}
