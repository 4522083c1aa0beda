// The ledger's side of the metered door: a purse is a group of the ledger, and each call is counted in it before it is
// sent. A process that dies between leaves its reservation counted; get_usage names it.
import {
  type Cap,
  type CapSource,
  DEFAULT_CAP_USD,
  decideCap,
  formatCapUsd,
  resumeCapUsd,
  toMicros,
} from '@gbrain/wire/caps';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import type { Host } from '../../host.ts';
import { readPreapproval } from '../../pipeline/consent.ts';
import type { CallEnd, Charge, PlannedCall, Purse, Reservation } from '../../providers/purse.ts';
import type { Store } from '../../store/store.ts';
import { costMicros, priceOf, toUsd } from './prices.ts';
import { type EndedCall, openGroup, type PriceRow, readGroup, reserveCall, settleCall } from './spend.sql.ts';

/** What a purse needs of the process. */
export interface Ledger {
  store: Store;
  host: Host;
}

/** Facts of an opened group. */
export interface PurseFacts {
  groupId: string;
  operation: string;
  cap: Cap;
  /** The call that goes on under a higher cap, where a person can make it. */
  resume?: { op: string; input: Record<string, unknown> };
  /** Told once of each model that runs without a price. */
  onUnpriced?(model: string): void;
}

interface Pending {
  price: PriceRow | undefined;
  reservedMicros: number;
}

/** A group of the ledger as the metered door sees it. */
export class LedgerPurse implements Purse {
  readonly facts: PurseFacts;
  readonly #ledger: Ledger;
  readonly #pending = new Map<string, Pending>();
  readonly #unpriced = new Set<string>();
  #spentMicros = 0;

  constructor(ledger: Ledger, facts: PurseFacts) {
    this.#ledger = ledger;
    this.facts = facts;
  }

  /** What was charged through this purse so far, in US dollars. */
  get spentUsd(): number {
    return toUsd(this.#spentMicros);
  }

  async reserve(call: PlannedCall): Promise<Reservation> {
    const { store, host } = this.#ledger;
    const price = await priceOf(store, call.model);
    if (!price) this.#acceptUnpriced(call);
    const tokens = { input: call.maxInputTokens, output: call.maxOutputTokens };
    const reserveMicros = price ? costMicros(price, tokens) : 0;
    const id = host.newId();
    const { groupId, operation } = this.facts;
    const { purpose, model } = call;
    const row = {
      id,
      groupId,
      purpose,
      model,
      operation,
      isPriced: price !== undefined,
      reserveMicros,
      at: host.now(),
    };
    if (!(await reserveCall(store, row))) await this.#refuse(reserveMicros);
    this.#pending.set(id, { price, reservedMicros: reserveMicros });
    return { id };
  }

  async settle({ id }: Reservation, end: CallEnd): Promise<Charge> {
    const pending = this.#pending.get(id);
    if (!pending) return { usd: null };
    this.#pending.delete(id);
    const { store, host } = this.#ledger;
    const ended: EndedCall = {
      id,
      ...stateOf(end, pending),
      inputTokens: end.inputTokens ?? null,
      outputTokens: end.outputTokens ?? null,
      outcome: end.outcome,
      at: host.now(),
    };
    await settleCall(store, ended);
    this.#spentMicros += ended.chargedMicros;
    return { usd: pending.price ? toUsd(ended.chargedMicros) : null };
  }

  #acceptUnpriced({ model, purpose }: PlannedCall): void {
    if (this.facts.cap.source === 'user' && this.facts.cap.capUsd !== null) {
      raise('no_pricing', { reason: 'no_pricing', model, purpose, operation: this.facts.operation });
    }
    if (this.#unpriced.has(model)) return;
    this.#unpriced.add(model);
    this.facts.onUnpriced?.(model);
  }

  /** Ends the call that the cap does not reach for, with what is left and how to go on. */
  async #refuse(neededMicros: number): Promise<never> {
    const { cap, resume, operation } = this.facts;
    const group = await readGroup(this.#ledger.store, this.facts.groupId);
    const capUsd = toUsd(group.cap_micros ?? 0);
    const next = resumeCapUsd(Math.max(capUsd, toUsd(group.spent_micros + neededMicros) / 2));
    return raise(cap.source === 'derived' ? 'derived_cap_exhausted' : 'cost_cap_exceeded', {
      operation,
      capUsd,
      spentUsd: toUsd(group.spent_micros),
      reservedUsd: toUsd(group.reserved_micros),
      neededUsd: toUsd(neededMicros),
      nextCapUsd: next,
      ...(group.key && { day: true }),
      ...(resume && { resumeArgv: resumeArgv(this.#ledger.host, resume, formatCapUsd(next)) }),
    });
  }
}

/** What an ended call is charged: what the provider counted, else the reservation where it may have been billed. */
function stateOf(end: CallEnd, { price, reservedMicros }: Pending): Pick<EndedCall, 'state' | 'chargedMicros'> {
  const isMeasured = end.inputTokens !== undefined || end.outputTokens !== undefined;
  const measured = () =>
    price ? costMicros(price, { input: end.inputTokens ?? 0, output: end.outputTokens ?? 0 }) : 0;
  if (!('billed' in end) || end.billed === 'yes') {
    return { state: 'settled', chargedMicros: isMeasured ? measured() : reservedMicros };
  }
  if (end.billed === 'no') return { state: 'released', chargedMicros: 0 };
  return { state: 'unknown', chargedMicros: reservedMicros };
}

async function numberOf(host: Host, key: string): Promise<number | undefined> {
  const { value } = await host.setting(key);
  return typeof value === 'number' ? value : undefined;
}

const openCap = async (
  ledger: Ledger,
  group: { key?: string; operation: string; cap: Cap; via: string; est?: number },
) =>
  openGroup(ledger.store, {
    id: ledger.host.newId(),
    key: group.key ?? null,
    operation: group.operation,
    capMicros: group.cap.capUsd === null ? null : toMicros(group.cap.capUsd),
    capSource: group.cap.source,
    via: group.via,
    estMicros: group.est === undefined ? null : toMicros(group.est),
    at: ledger.host.now(),
  });

/** A run that asks for money of its own. */
export interface RunAsk {
  operation: string;
  /** US dollars; null when it cannot be told. */
  estUsd: number | null;
  /** The most that a cap may be which the user did not name, in US dollars. */
  atMostUsd?: number;
  /** The call that goes on after the cap ran out. */
  resume?: PurseFacts['resume'];
  onUnpriced?(model: string): void;
}

/** The cap of a run and what let it run. Source: AGENT_OPERATOR v1, Caps. */
export async function runCap(ctx: Context, estUsd: number | null): Promise<{ cap: Cap; via: string }> {
  const { host, approval } = ctx;
  const preapproved = (await readPreapproval(host)).paidMaxUsdPerRun;
  const configured = await numberOf(host, 'spend.max_usd_per_run');
  const isByFlag = approval?.maxUsd !== undefined;
  const isPreapproved = !isByFlag && !approval?.yes && preapproved !== undefined && estUsd !== null;
  const cap = decideCap({
    ...(isByFlag && { flag: approval?.maxUsd }),
    ...(isPreapproved && estUsd <= preapproved && { preapprovedUsd: preapproved }),
    estUsd,
    ...(configured !== undefined && { configuredUsd: configured }),
  });
  const isTokenmax = (await host.setting('spend.posture')).value === 'tokenmax';
  const via = isByFlag
    ? 'max_usd'
    : approval?.yes
      ? 'yes'
      : isPreapproved
        ? 'preapproval'
        : isTokenmax
          ? 'tokenmax'
          : 'none';
  return { cap, via };
}

/** The purse of one run that the user agreed to, or that needs no agreement. */
export async function openRunPurse(ctx: Context, ask: RunAsk): Promise<LedgerPurse> {
  const { cap: wide, via } = await runCap(ctx, ask.estUsd);
  const { atMostUsd = Number.POSITIVE_INFINITY } = ask;
  const isOwn = wide.source === 'user' || wide.capUsd === null;
  const cap: Cap = isOwn ? wide : { ...wide, capUsd: Math.min(wide.capUsd!, atMostUsd) };
  const ledger = { store: ctx.brain.store, host: ctx.host };
  const est = ask.estUsd === null ? {} : { est: ask.estUsd };
  const groupId = await openCap(ledger, { operation: ask.operation, cap, via, ...est });
  const { operation, resume, onUnpriced } = ask;
  return new LedgerPurse(ledger, {
    groupId,
    operation,
    cap,
    ...(resume && { resume }),
    ...(onUnpriced && { onUnpriced }),
  });
}

/** The purse of a run that goes on in another process, under the cap that was agreed to. */
export async function reopenPurse(ledger: Ledger, run: { groupId: string; operation: string }): Promise<LedgerPurse> {
  const { cap_micros, cap_source } = await readGroup(ledger.store, run.groupId);
  const cap: Cap = { capUsd: cap_micros === null ? null : toUsd(cap_micros), source: cap_source };
  return new LedgerPurse(ledger, { ...run, cap });
}

/**
 * The purse of calls that nobody agrees to one by one: vectors of what is written and of queries, reranks, answers. One
 * cap a day (UTC) holds for all of them together, over every process of the brain.
 */
export async function openDayPurse(
  ledger: Ledger,
  operation: string,
  onUnpriced?: PurseFacts['onUnpriced'],
): Promise<LedgerPurse> {
  const { host } = ledger;
  const configured = await numberOf(host, 'spend.unattended_max_usd_per_day');
  const source: CapSource = configured === undefined ? 'default' : 'user';
  const cap: Cap = { capUsd: configured ?? DEFAULT_CAP_USD, source };
  const key = `unattended:${host.now().toISOString().slice(0, 10)}`;
  const groupId = await openCap(ledger, { key, operation: 'unattended', cap, via: 'setting' });
  return new LedgerPurse(ledger, { groupId, operation, cap, ...(onUnpriced && { onUnpriced }) });
}

/** The command line that repeats a call under a cap. */
function resumeArgv(host: Host, resume: NonNullable<PurseFacts['resume']>, capUsd: string): string[] {
  const operation = host.registry.operation(resume.op);
  if (!operation) throw new Error(`${resume.op} is not registered`);
  const argv = callArgv(operation, resume.input);
  const end = argv.indexOf('--');
  const cut = end === -1 ? argv.length : end;
  return [...argv.slice(0, cut), '--max-usd', capUsd, '--yes', ...argv.slice(cut)];
}
