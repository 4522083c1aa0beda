// How simulated loops behave; a session's configuration chooses. All but the first are what real ones do wrong.
import type { RunContext } from '@gbrain/harness/context';
import type { HarnessOptions } from '@gbrain/harness/harness';
import { loopHarness } from '@gbrain/harness/loop/loop';
import type { Oracle } from './oracle.ts';
import type { Random } from './random.ts';
import type { SimClock } from './sim-clock.ts';

/** Names of the behaviours. */
export const BEHAVIOURS = [
  'loop',
  'loop',
  'loop',
  'notes',
  'swallow',
  'stubborn',
  'throws',
  'hangs',
  'floods',
  'parallel',
] as const;

type Behaviour = (typeof BEHAVIOURS)[number];

/** What a loop needs of the simulation. */
export interface BehaviourPorts {
  clock: SimClock;
  random: Random;
  oracle: Oracle;
}

/** The harness of every simulated process. */
export function simHarness(ports: BehaviourPorts): HarnessOptions {
  const { clock, random } = ports;
  return {
    name: 'sim',
    stateVersion: 1,
    async run(context) {
      const behaviour = context.configuration.behaviour as Behaviour;
      await clock.wait(random.int(0, 5));
      return (await RUNS[behaviour](asLoop(context), ports)) as never;
    },
  };
}

type Run = (context: RunContext, ports: BehaviourPorts) => Promise<unknown>;

/** Asks with messages of its own, each time one more. */
const ask = ({ model }: RunContext, count = 1) =>
  model({
    messages: Array.from({ length: count }, (_, index) => ({
      role: 'user',
      content: [{ type: 'text', text: `Again ${index}` }],
    })),
  });

const RUNS: Record<Behaviour, Run> = {
  loop: async (context) => loopHarness.run(context),
  /** Keys, events and notes, with no effect at all. */
  async notes(context, { clock, random, oracle }) {
    const count = ((await context.kv.get('count')) as number | undefined) ?? 0;
    void context.kv.set('count', count + 1);
    await context.emit('note', count);
    const granted = (what: string) => () => oracle.report(`a loop was granted what is not its own: ${what}`);
    await context.emit('turn_ended', {}).then(granted('a kernel kind'), () => {});
    await context.kv.set('brain.last_activation', 99).then(granted('a reserved key'), () => {});
    if (random.chance(0.5)) await context.kv.delete('gone');
    await clock.wait(random.int(0, 30));
    await context.events(Math.max(0, context.sequence - 2));
    await context.emit('output_emitted', { type: 'assistant_message', message: { role: 'assistant', content: [] } });
    return { count };
  },
  /** Takes every error for a trifle, and claims success. */
  async swallow(context) {
    await Promise.resolve(loopHarness.run(context)).catch(() => {});
    for (let tries = 0; tries < 6; tries += 1) await ask(context, tries + 1).catch(() => {});
    return { fine: true };
  },
  /** Does not hear a cancel: it goes on for a while, then never ends. */
  async stubborn(context, { clock }) {
    await Promise.resolve(loopHarness.run(context)).catch(() => {});
    if (context.signal.aborted) await new Promise(() => {});
    await clock.wait(200);
    return { fine: true };
  },
  async throws(context) {
    await context.emit('note', 'before');
    await ask(context).catch(() => {});
    throw new Error('told to fail');
  },
  /** Waits until it is told to stop. */
  async hangs({ signal, emit }) {
    await emit('note', 'waiting');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return null;
  },
  /** Emits more than it may. */
  async floods({ emit }) {
    for (let count = 0; count < 10; count += 1) await emit('note', 'x'.repeat(600)).catch(() => {});
    return null;
  },
  /** Makes effects at once and does not wait for them one by one. */
  async parallel(context, { oracle }) {
    const calls = ['near', 'far'].map((name, index) => ({
      call_id: `p${index}`,
      name,
      environment: name === 'near' ? 'desk' : 'box',
      input: { n: index },
    }));
    const twice = context.dispatch([calls[0], calls[0]] as typeof calls);
    twice.then(
      () => oracle.report('one call_id was dispatched twice in a batch'),
      () => {},
    );
    const works = [ask(context), context.dispatch(calls), context.emit('note', 1), context.setTranscript([])];
    const settled = await Promise.allSettled(works);
    return settled.filter(({ status }) => status === 'rejected').length;
  },
};

/** The loop's own configuration is its defaults; what is left of the session's is this simulation's. */
function asLoop(context: RunContext): RunContext {
  return { ...context, configuration: { max_model_calls: 6 } };
}
