// One crash: a turn on the real server, a kill at a named point, a restart; and what must hold afterwards, as a list.

import type { FaultPoint } from '@gbrain/brain/fault';
import { dataPaths } from '@gbrain/brain/journal/data-dir';
import { JournalReader } from '@gbrain/brain/journal/reader';
import { toEvent } from '@gbrain/brain/journal/record';
import { verifyDataDir } from '@gbrain/brain/journal/verify';
import type { Event } from '@gbrain/brain-protocol/event';
import type { BrainBuild } from './brain-build.ts';
import { type ApiAnswer, type BrainProcess, newDataDir, removeDataDir, startBrain } from './brain-process.ts';
import { killInCheckpoint } from './checkpoint-kill.ts';
import type { ModelHit, ScriptedAnswer, ScriptedModel } from './scripted-model.ts';
import type { ToolOperation, ToolService } from './tool-service.ts';

/** Which turn, and where it is hit. */
export interface CrashCase {
  name: string;
  harness: 'echo' | 'loop' | 'ignore-cancel' | 'swallow-fatal';
  point: FaultPoint;
  kill: 'server' | 'worker' | 'both';
  /** Kind of record or effect whose passage counts. */
  at: string;
}

/** What the cases of a file share. `onExecute` hears of each execution before it is answered. */
export interface CrashWorld {
  build: BrainBuild;
  model: ScriptedModel;
  tools: ToolService;
  onExecute: Map<string, () => Promise<void>>;
}

type Loose = Event & { data: Record<string, unknown> };

/** The model of every case: wants the tool once, then answers; `swallow-fatal` gets no second call out. */
export function crashScript(hit: ModelHit): ScriptedAnswer {
  const last = hit.body.input?.at(-1) as { type?: string } | undefined;
  if (last?.type === 'function_call_output') return { text: 'Done.' };
  return { toolCalls: [{ id: 'call_1', name: 'mark', input: { n: 1 } }] };
}

/** Runs a case; gives what did not hold, in words. An empty list is a pass. */
export async function runCrash(world: CrashWorld, crash: CrashCase): Promise<string[]> {
  const run = new CrashRun(world, crash);
  try {
    return await run.run();
  } finally {
    await run.stop();
  }
}

class CrashRun {
  readonly #world: CrashWorld;
  readonly #crash: CrashCase;
  readonly #dataDir = newDataDir();
  readonly #key: string;
  readonly #wrong: string[] = [];
  #brain: BrainProcess | undefined;
  #id = '';

  constructor(world: CrashWorld, crash: CrashCase) {
    this.#world = world;
    this.#crash = crash;
    this.#key = `sk-${crash.name}`;
  }

  async run(): Promise<string[]> {
    const { kill } = this.#crash;
    let brain = await this.#start(true);
    const bystander = await this.#create(brain);
    this.#id = await this.#create(brain);
    this.#world.onExecute.set(this.#id, () => this.#onExecute(brain));
    const sent = this.#send(brain, 'first').catch(() => undefined);
    if (this.#crash.point === 'during_checkpoint') await killInCheckpoint(brain, kill);
    const accepted = await sent;
    if (kill === 'worker') await this.#untilWorkerGone(brain);
    else await brain.ended;
    if (accepted && accepted.status !== 202) this.#wrong.push(`the message was answered ${accepted.status}`);
    if (kill !== 'worker') {
      const before = this.#readJournal();
      brain = await this.#start(false);
      await this.#checkRecovery(brain, before);
    }
    await this.#checkEffects(brain);
    await this.#checkAccepted(brain, accepted);
    await this.#checkNext(brain);
    await this.#checkBystander(brain, bystander);
    this.#checkJournal(brain);
    return this.#wrong;
  }

  async stop(): Promise<void> {
    this.#world.onExecute.delete(this.#id);
    await this.#brain?.kill();
    removeDataDir(this.#dataDir);
  }

  async #start(armed: boolean): Promise<BrainProcess> {
    const { build, model } = this.#world;
    const { harness, point, kill, at } = this.#crash;
    this.#brain = await startBrain({
      server: build.server,
      dataDir: this.#dataDir,
      registrations: { [harness]: { command: process.execPath, args: [build.harness, harness] } },
      env: {
        BRAIN_OPENAI_BASE_URL: model.baseUrl,
        ...(harness === 'swallow-fatal' && { BRAIN_MAX_MODEL_CALLS: '1' }),
        ...(armed && { BRAIN_FAULT: JSON.stringify({ point, kill, at, hit: 1 }) }),
      },
    });
    return this.#brain;
  }

  async #create(brain: BrainProcess): Promise<string> {
    const { body } = await brain.api('POST', '/v1/sessions', {
      agentloop: { name: this.#crash.harness },
      model: { provider: 'openai', name: 'm', api_key: this.#key },
      tools: [{ name: 'mark', description: 'Marks.', input_schema: {}, placements: { box: {} } }],
      environments: [{ name: 'box', driver: 'http', url: this.#world.tools.url, lifecycle: 'manual' }],
    });
    // A manual environment that is not set up refuses calls; setting it up here keeps its records out of the turn.
    const control = { operation: 'setup', environment: { name: 'box', sequence: 1 } };
    await brain.api('POST', `/v1/sessions/${body.session_id}/environments`, control);
    return body.session_id;
  }

  #send(brain: BrainProcess, key: string, id = this.#id): Promise<ApiAnswer> {
    const headers = { prefer: 'respond-async' };
    return brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message: 'Go' } }, { key, headers });
  }

  async #onExecute(brain: BrainProcess): Promise<void> {
    if (this.#crash.harness !== 'ignore-cancel') return;
    await brain.api('POST', `/v1/sessions/${this.#id}/cancel`, undefined, { key: 'stop' }).catch(() => {});
  }

  async #events(brain: BrainProcess, id = this.#id): Promise<Loose[]> {
    return (await brain.api('GET', `/v1/sessions/${id}/events`)).body.events;
  }

  async #untilSettled(brain: BrainProcess, id = this.#id): Promise<void> {
    const ends = ({ event_type }: Loose) => event_type === 'turn_ended' || event_type === 'turn_failed';
    for (;;) {
      const events = await this.#events(brain, id);
      const started = events.filter(({ event_type }) => event_type === 'turn_started').length;
      // What a lost worker had sent is still awaited after its turn.
      const open = events.filter(({ event_type }) => /^(model|tool)_call_started$/.test(event_type)).length;
      const closed = events.filter(({ event_type }) => /^(model|tool)_call_(ended|failed)$/.test(event_type)).length;
      if (started > 0 && events.filter(ends).length === started && open === closed) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** A point that is never reached shows as this test running into its time. */
  async #untilWorkerGone(brain: BrainProcess): Promise<void> {
    await this.#untilSettled(brain);
    while (!brain.log().includes('worker is gone')) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  #readJournal(): Loose[] {
    const reader = new JournalReader(dataPaths(this.#dataDir));
    try {
      return reader.readRecords(this.#id, 0, 10_000, Number.MAX_SAFE_INTEGER).map(toEvent) as Loose[];
    } finally {
      reader.close();
    }
  }

  /** What was durable stands, and each effect that was open is recorded unknown, once. */
  async #checkRecovery(brain: BrainProcess, before: Loose[]): Promise<void> {
    const after = await this.#events(brain);
    if (JSON.stringify(after.slice(0, before.length)) !== JSON.stringify(before)) {
      this.#wrong.push('durable records changed over the restart');
    }
    const added = after.slice(before.length);
    for (const started of before.filter(({ event_type }) => /^(model|tool)_call_started$/.test(event_type))) {
      const ends = (event: Loose) => isEndOf(event, started);
      if (before.some(ends)) continue;
      const found = added.filter(ends);
      const unknown = found.filter(({ data }) => data.ambiguous === true || statusOf(data) === 'unknown');
      if (found.length !== 1 || unknown.length !== 1) {
        this.#wrong.push(`${started.event_type} ${started.sequence}: ${found.length} ends, ${unknown.length} unknown`);
      }
    }
  }

  /** Each effect has one intent, at most one sending, and one ending; nothing is sent after the crash. */
  async #checkEffects(brain: BrainProcess): Promise<void> {
    const events = await this.#events(brain);
    const started = (kind: string) => events.filter(({ event_type }) => event_type === `${kind}_call_started`);
    for (const one of [...started('model'), ...started('tool')]) {
      const ends = events.filter((event) => isEndOf(event, one)).length;
      if (ends !== 1) this.#wrong.push(`${one.event_type} ${one.sequence} has ${ends} endings`);
    }
    const hits = this.#hits().length;
    const heard = events.filter(({ event_type }) => event_type === 'model_call_ended').length;
    if (hits > started('model').length) this.#wrong.push(`${hits} model hits for ${started('model').length} intents`);
    if (hits < heard) this.#wrong.push(`${heard} model answers for ${hits} hits`);
    const executed = this.#executions();
    if (new Set(executed.map(({ sequence }) => sequence)).size < executed.length) this.#wrong.push('a tool ran twice');
    for (const { sequence } of executed) {
      if (!started('tool').some((event) => event.sequence === sequence)) this.#wrong.push('a tool ran without intent');
    }
  }

  #hits(): ModelHit[] {
    return this.#world.model.hits.filter(({ authorization }) => authorization === `Bearer ${this.#key}`);
  }

  #executions(): ToolOperation[] {
    return this.#world.tools.operations.filter(
      ({ session_id, request }) => session_id === this.#id && request.type === 'execute',
    );
  }

  /** An accepted message has exactly one turn, and its key gives the same answer or says that nobody knows. */
  async #checkAccepted(brain: BrainProcess, accepted: ApiAnswer | undefined): Promise<void> {
    const turns = (await this.#events(brain)).filter(({ event_type }) => event_type === 'turn_started');
    if (turns.length > 1 || (accepted && turns.length === 0)) this.#wrong.push(`the message has ${turns.length} turns`);
    if (accepted && turns[0]?.sequence !== accepted.body) this.#wrong.push('the accepted turn is another');
    const effects = this.#hits().length + this.#executions().length;
    if (turns.length > 0) {
      const again = await this.#send(brain, 'first');
      const same = again.status === 202 && again.body === turns[0]?.sequence;
      if (!same) this.#wrong.push(`its key was answered ${again.status} ${JSON.stringify(again.body)}`);
    }
    if (this.#hits().length + this.#executions().length !== effects) this.#wrong.push('a replay had effects');
  }

  /** The marker decides whether the session goes on. */
  async #checkNext(brain: BrainProcess): Promise<void> {
    const { body } = await brain.api('GET', `/v1/sessions/${this.#id}`);
    if (body.status !== 'idle') this.#wrong.push(`the session is ${body.status}`);
    const events = await this.#events(brain);
    const kinds = events.map(({ event_type }) => event_type);
    const entered = kinds.includes('activation_started');
    const resolved = kinds.includes('activation_ended');
    const next = await this.#sendUntilServed(brain, this.#id, 'second');
    const dead = next.status === 409 && next.body.details?.reason === 'harness_activation_unresolved';
    if (entered && !resolved && !dead) this.#wrong.push(`an unresolved session answered ${next.status}`);
    if ((!entered || resolved) && next.status !== 202) this.#wrong.push(`a clean session answered ${next.status}`);
    if (next.status === 202) await this.#untilSettled(brain);
  }

  /** Sessions that had nothing to do with it go on. */
  async #checkBystander(brain: BrainProcess, id: string): Promise<void> {
    const next = await this.#sendUntilServed(brain, id, 'bystander');
    if (next.status !== 202) this.#wrong.push(`the other session answered ${next.status}`);
    else await this.#untilSettled(brain, id);
  }

  /** While a worker comes back, messages of its sessions are answered 503. */
  async #sendUntilServed(brain: BrainProcess, id: string, key: string): Promise<ApiAnswer> {
    for (;;) {
      const answer = await this.#send(brain, key, id);
      if (answer.status !== 503) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #checkJournal(brain: BrainProcess): void {
    const report = verifyDataDir(dataPaths(brain.dataDir), undefined);
    if (!report.ok) this.#wrong.push(`verify: ${JSON.stringify(report.findings)}`);
  }
}

function isEndOf({ event_type, data }: Loose, started: Loose): boolean {
  const kind = started.event_type.replace('_started', '');
  return (event_type === `${kind}_ended` || event_type === `${kind}_failed`) && data.sequence === started.sequence;
}

function statusOf(data: Record<string, unknown>): unknown {
  return (data.outcome as { status?: unknown } | undefined)?.status;
}
