// Every registered code, in the state that raises it: its fix is run to the letter on the command line and over MCP,
// and leads on. A new code without a case here fails.
import { HomeInProcess, productRegistry, type ServedSession } from '@gbrain/testkit/home-in-process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking } from './provocations/asking.ts';
import { faults } from './provocations/faults.ts';
import { folders } from './provocations/folders.ts';
import { homes } from './provocations/homes.ts';
import { models } from './provocations/models.ts';
import { pages } from './provocations/pages.ts';
import { writes } from './provocations/writes.ts';
import { type Door, type Provocation, type SessionKind, type Stage, walk } from './walk.ts';

/** Codes that no case here can raise, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  cancelled: 'a call that was cancelled gets no reply, so nobody reads it; pipeline.test.ts reads the outcome itself',
  command_failed: 'only a command that ends without a document of its own would write it, and none is known to',
  scope_denied: 'a pipe has every scope; refusals by scope begin with the HTTP server',
  target_unreachable: 'its fix starts a server on a brain of its own: e2e/conformance.test.ts',
  write_outcome_unknown: 'needs a link that is lost at the commit: outcome.test.ts of writes, and test/crash',
};

const DOORS: readonly Door[] = ['cli', 'mcp'];
const title = ({ code, way }: Provocation, door: Door): string => `${code}${way ? `: ${way}` : ''} (${door})`;
const doorsOf = (one: Provocation): Door[] => DOORS.filter((door) => one[door]);
const casesOf = <T extends Provocation>(all: readonly T[]) =>
  all.flatMap((one) => doorsOf(one).map((door) => [title(one, door), one, door] as const));

/** Sessions of a home, opened when they are first asked for; a home that serves two shares its brain. */
class Sessions {
  readonly #home: HomeInProcess;
  readonly #opened = new Map<SessionKind, Promise<ServedSession>>();

  constructor(home: HomeInProcess) {
    this.#home = home;
  }

  get(kind: SessionKind): Promise<ServedSession> {
    const surface = kind === 'starter' ? 'starter' : 'full';
    const access = kind === 'read-only' ? 'read-only' : 'full';
    const opened = this.#opened.get(kind) ?? this.#home.serve({ surface, access });
    this.#opened.set(kind, opened);
    return opened;
  }

  stage(door: Door): Stage {
    return {
      home: this.#home,
      door,
      session: async (kind = 'full') => (await this.get(kind)).pipe,
      brain: async () => (await this.get('full')).brain(),
    };
  }
}

/** Cases that share a home. Those of models come last: what they write waits for vectors that nobody makes. */
const served = [...asking, ...pages, ...writes, ...folders, ...faults, ...models];

describe('a home that serves its brain', () => {
  let home: HomeInProcess;
  let sessions: Sessions;

  beforeAll(async () => {
    home = await HomeInProcess.withBrain();
    await home.cli(['config', 'set', 'serve.share_local', 'true']);
    sessions = new Sessions(home);
    await sessions.get('full');
  });

  afterAll(() => home[Symbol.asyncDispose]());

  test.each(casesOf(served))('%s', async (_, one, door) => {
    await walk(sessions.stage(door), one);
    // A fault of ours is logged; only the cases that make one may.
    const logged = home.log.splice(0);
    if (!one.code.startsWith('internal')) expect(logged).toEqual([]);
    else expect(logged.join()).toContain('failed unexpectedly');
  });
});

describe('a home of its own', () => {
  test.each(casesOf(homes))('%s', async (_, one, door) => {
    await using home = await one.home();
    await walk(new Sessions(home).stage(door), one);
  });
});

describe('the list of codes', () => {
  const all = [...served, ...homes];
  const raised = new Set(all.map(({ code }) => code));

  test('each is raised here, or said why not', () => {
    const codes = [...productRegistry.errors.keys()];
    expect(codes.filter((code) => !raised.has(code) && !(code in ELSEWHERE))).toEqual([]);
    expect(Object.keys(ELSEWHERE).filter((code) => raised.has(code) || !codes.includes(code))).toEqual([]);
  });
});
