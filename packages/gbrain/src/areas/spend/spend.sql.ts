// Statements of prices and of the ledger. Amounts are whole micro-dollars.
import type { CapSource } from '@gbrain/wire/caps';
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** Prices of a model in micro-dollars: for a million tokens, and for a call whatever its size. */
export interface PriceRow {
  model: string;
  input_micros: number;
  output_micros: number;
  call_micros: number;
}

/** Prices that the user registered. */
export const readSetPrices = (db: Queryable): Promise<(PriceRow & { set_at: Date })[]> =>
  db.query(sql`select model, input_micros, output_micros, call_micros, set_at from model_prices order by model`);

/** The registered price of one model. */
export async function readSetPrice(db: Queryable, model: string): Promise<PriceRow | undefined> {
  const rows = await db.query<PriceRow>(
    sql`select model, input_micros, output_micros, call_micros from model_prices where model = ${model}`,
  );
  return rows[0];
}

/** Registers a price, in place of an earlier one. */
export const putPrice = ({ model, ...price }: PriceRow, at: Date): Sql => sql`
  insert into model_prices (model, input_micros, output_micros, call_micros, set_at)
  values (${model}, ${price.input_micros}, ${price.output_micros}, ${price.call_micros}, ${at})
  on conflict (model) do update set input_micros = excluded.input_micros, output_micros = excluded.output_micros,
    call_micros = excluded.call_micros, set_at = excluded.set_at`;

/** A group as it is opened. */
export interface NewGroup {
  id: string;
  key: string | null;
  operation: string;
  capMicros: number | null;
  capSource: CapSource;
  via: string;
  estMicros: number | null;
  at: Date;
}

/**
 * Opens a group and gives its id; a group of the same key is the same one, under the cap that holds now.
 */
export async function openGroup(db: Queryable, group: NewGroup): Promise<string> {
  const rows = await db.query<{ id: string }>(sql`
    insert into spend_groups (id, key, operation, cap_micros, cap_source, via, est_micros, created_at)
    values (${group.id}, ${group.key}, ${group.operation}, ${group.capMicros}, ${group.capSource}, ${group.via},
      ${group.estMicros}, ${group.at})
    on conflict (key) do update set cap_micros = excluded.cap_micros, cap_source = excluded.cap_source
    returning id`);
  return rows[0]!.id;
}

/** A group's amounts. */
export interface GroupRow {
  id: string;
  key: string | null;
  operation: string;
  cap_micros: number | null;
  cap_source: CapSource;
  reserved_micros: number;
  spent_micros: number;
}

const GROUP = raw('id, key, operation, cap_micros, cap_source, reserved_micros, spent_micros');

/** A group by its id. */
export async function readGroup(db: Queryable, id: string): Promise<GroupRow> {
  const rows = await db.query<GroupRow>(sql`select ${GROUP} from spend_groups where id = ${id}`);
  return rows[0]!;
}

/** A call as it is reserved. */
export interface NewCall {
  id: string;
  groupId: string;
  purpose: string;
  model: string;
  operation: string;
  isPriced: boolean;
  reserveMicros: number;
  at: Date;
}

/**
 * Counts a call's most against its group; false when the cap does not reach. One statement, so that two calls at once
 * cannot both take what is left.
 */
export async function reserveCall(db: Queryable, call: NewCall): Promise<boolean> {
  const rows = await db.query(sql`
    with paying as (
      update spend_groups set reserved_micros = reserved_micros + ${call.reserveMicros}
      where id = ${call.groupId}
        and (cap_micros is null or spent_micros + reserved_micros + ${call.reserveMicros}::bigint <= cap_micros)
      returning id)
    insert into spend_calls (id, group_id, purpose, model, operation, state, is_priced, reserved_micros, started_at)
    select ${call.id}::uuid, id, ${call.purpose}::text, ${call.model}::text, ${call.operation}::text, 'reserved',
      ${call.isPriced}::boolean, ${call.reserveMicros}::bigint, ${call.at}::timestamptz from paying
    returning id`);
  return rows.length === 1;
}

/** How a call ended. */
export interface EndedCall {
  id: string;
  state: 'settled' | 'released' | 'unknown';
  chargedMicros: number;
  inputTokens: number | null;
  outputTokens: number | null;
  outcome: string;
  at: Date;
}

/** Replaces a reservation by what was charged; nothing for a call that has ended before. */
export const settleCall = (db: Queryable, end: EndedCall): Promise<unknown> =>
  db.query(sql`
    with ended as (
      update spend_calls set state = ${end.state}, charged_micros = ${end.chargedMicros},
        input_tokens = ${end.inputTokens}, output_tokens = ${end.outputTokens}, outcome = ${end.outcome},
        ended_at = ${end.at}
      where id = ${end.id} and state = 'reserved' returning group_id, reserved_micros, charged_micros)
    update spend_groups g set reserved_micros = g.reserved_micros - e.reserved_micros,
      spent_micros = g.spent_micros + e.charged_micros
    from ended e where g.id = e.group_id`);

/** Spend of one model and purpose. */
export interface UsageRow {
  model: string;
  purpose: string;
  calls: number;
  failed: number;
  input_tokens: number;
  output_tokens: number;
  charged_micros: number;
  unpriced: number;
}

/** What was spent since a moment, by model and purpose. */
export const readUsage = (db: Queryable, since: Date): Promise<UsageRow[]> =>
  db.query(sql`
    select model, purpose, count(*) as calls, count(*) filter (where outcome is distinct from 'ok') as failed,
      coalesce(sum(input_tokens), 0)::bigint as input_tokens, coalesce(sum(output_tokens), 0)::bigint as output_tokens,
      coalesce(sum(case when state = 'reserved' then reserved_micros else charged_micros end), 0)::bigint
        as charged_micros,
      count(*) filter (where not is_priced) as unpriced
    from spend_calls where started_at >= ${since}
    group by model, purpose order by charged_micros desc, model, purpose`);

/** A call whose end was never heard of, or that may have been billed. */
export interface OpenCallRow {
  id: string;
  model: string;
  purpose: string;
  operation: string;
  state: 'reserved' | 'unknown';
  outcome: string | null;
  micros: number;
  started_at: Date;
}

/** Calls that are counted without the provider having told what they cost, newest first. */
export const readUncertainCalls = (db: Queryable, since: Date, limit: number): Promise<OpenCallRow[]> =>
  db.query(sql`
    select id, model, purpose, operation, state, outcome,
      case when state = 'reserved' then reserved_micros else charged_micros end as micros, started_at
    from spend_calls where state in ('reserved', 'unknown') and started_at >= ${since}
    order by started_at desc, id limit ${limit}`);

/** Groups since a moment, newest first. */
export const readGroups = (db: Queryable, since: Date, limit: number): Promise<(GroupRow & { created_at: Date })[]> =>
  db.query(sql`
    select ${join([GROUP, raw('created_at')], ', ')} from spend_groups where created_at >= ${since}
    order by created_at desc, id limit ${limit}`);

/** Micro-dollars of an operation's calls since a time; a call whose end is not known counts with what it reserved. */
export async function readSpentSince(db: Queryable, operation: string, since: Date): Promise<number> {
  const [row] = await db.query<{ micros: number }>(sql`
    select coalesce(sum(case when state = 'reserved' then reserved_micros else charged_micros end), 0)::bigint as micros
    from spend_calls where operation = ${operation} and started_at >= ${since}`);
  return Number(row?.micros ?? 0);
}
