// Walks one failure as its reader would: raises it over the command line and over MCP, does what `fix.next` says, to
// the letter, and says what became of it.
import { execFileSync } from 'node:child_process';
import { type CliGiven, type Document, type HomeInProcess, productRegistry } from '@gbrain/testkit/home-in-process';
import type { McpPipe } from '@gbrain/testkit/mcp-pipe';
import type { McpCall, Next, RenderedAction } from '@gbrain/wire/action';
import type { OpenBrain } from 'gbrain/brain';
import { expect } from 'vitest';

/** Where a failure is met. */
export type Door = 'cli' | 'mcp';

/** A session of another kind than the full one. */
export type SessionKind = 'full' | 'starter' | 'read-only';

/** What a case stands on. */
export interface Stage {
  home: HomeInProcess;
  /** Differs between the doors, so that a case can be set up for each. */
  door: Door;
  /** The session that is served; rejects where the home has none. */
  session(kind?: SessionKind): Promise<McpPipe>;
  /** The brain that the server has open. */
  brain(): Promise<OpenBrain>;
}

/** A command line without `gbrain`, and what goes with it. */
export type Words = readonly string[] | { argv: readonly string[]; given: CliGiven };

/** One way into a code. */
export interface Provocation {
  code: string;
  /** Which of the code's ways out this is, where it has several. */
  way?: string;
  /** Puts the product into the state that raises the code. */
  state?(at: Stage): Promise<unknown>;
  cli?(at: Stage): Words;
  mcp?: ((at: Stage) => readonly [tool: string, args: Record<string, unknown>]) | undefined;
  /** The session that the call comes from; `full` unless said. */
  session?: SessionKind;
  /** What the reader is told to do, by door where it differs. */
  next: Next | Partial<Record<Door, Next>>;
  /** Values of the fix's inputs, as a reader finds them. */
  inputs?: Record<string, string>;
  /** What somebody else does meanwhile: the user corrects a file, the other process ends. */
  clear?(at: Stage): Promise<unknown>;
  /** Takes back what the case has set up outside of its slugs; it runs however the case ended. */
  end?(at: Stage): Promise<unknown>;
  /** Code to which the fix leads, where it is not the end of it. */
  leads?: string;
  /** The same call no longer fails with this code once the fix is done. */
  settles?: boolean;
}

/** What a call came to. */
interface Reply {
  code?: string;
  body: Document;
}

/** Programs that a fix may name beside ours; they only read. */
const READERS = ['ls', 'cat', 'head'];

function ofBody(exit: number, body: Document): Reply {
  return exit !== 0 && typeof body.code === 'string' ? { code: body.code, body } : { body };
}

async function terminal(at: Stage, argv: readonly string[], given: CliGiven = {}): Promise<Reply> {
  if (argv[0] !== 'gbrain') {
    expect(READERS).toContain(argv[0]);
    return { body: { text: execFileSync(argv[0]!, argv.slice(1), { encoding: 'utf8' }) } };
  }
  const { exit, body } = await at.home.document(argv.slice(1), given);
  return ofBody(exit, body);
}

async function tool(pipe: McpPipe, { tool: name, arguments: args }: McpCall): Promise<Reply> {
  const reply = await pipe.call(name, args);
  const [first] = reply.content;
  if (reply.isError) expect(reply.content).toHaveLength(1);
  return ofBody(reply.isError ? 1 : 0, JSON.parse(first!.text) as Document);
}

async function raise(at: Stage, one: Provocation): Promise<Reply> {
  if (at.door === 'mcp') {
    const [name, args] = one.mcp!(at);
    return tool(await at.session(one.session), { tool: name, arguments: args });
  }
  const words = one.cli!(at);
  return 'argv' in words ? terminal(at, ['gbrain', ...words.argv], words.given) : terminal(at, ['gbrain', ...words]);
}

/** A step with its inputs in place; an input that the case does not know is a fault of the case. */
function filled<T>(step: T, fix: RenderedAction, inputs: Record<string, string> = {}): T {
  const values = new Map((fix.inputs ?? []).map(({ name }) => [`<${name}>`, inputs[name]]));
  const put = (value: unknown): unknown => {
    if (typeof value === 'string' && values.has(value))
      return values.get(value) ?? expect.fail(`no value for ${value}`);
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, put(inner)]));
  };
  return put(step) as T;
}

/** Does a step as its `next` says. Undefined when there is nothing to run. */
async function follow(at: Stage, one: Provocation, fix: RenderedAction): Promise<Reply | undefined> {
  const mcp = filled(fix.mcp, fix, one.inputs);
  const argv = filled(fix.argv, fix, one.inputs);
  switch (fix.next) {
    case 'report':
      return undefined;
    case 'tell_user_to_run':
      // The user does it where they are: at the terminal.
      return argv ? terminal(at, argv) : undefined;
    default:
      if (at.door === 'mcp' && mcp) return tool(await at.session(one.session), mcp);
      return argv ? terminal(at, argv) : undefined;
  }
}

/** The check of a fix: it only reads, and it runs. */
async function check(at: Stage, one: Provocation, fix: RenderedAction): Promise<void> {
  const { argv, mcp } = fix.verify ?? {};
  if (argv) {
    expect(productRegistry.command(argv.slice(1))?.operation.mutating).toBe(false);
    expect((await terminal(at, argv)).code).toBeUndefined();
  }
  if (mcp && at.door === 'mcp') {
    expect(productRegistry.operation(mcp.tool)?.mutating).toBe(false);
    expect((await tool(await at.session(one.session), mcp)).code).toBeUndefined();
  }
}

const nextOf = ({ next }: Provocation, door: Door): Next | undefined => (typeof next === 'string' ? next : next[door]);

/** Raises a code at a door, follows its fix and proves that it led somewhere. */
export async function walk(at: Stage, one: Provocation): Promise<void> {
  try {
    await one.state?.(at);
    await walkFrom(at, one);
  } finally {
    await one.end?.(at);
  }
}

async function walkFrom(at: Stage, one: Provocation): Promise<void> {
  const raised = await raise(at, one);
  expect(raised.code, JSON.stringify(raised.body).slice(0, 600)).toBe(one.code);
  if (raised.body.docs_cmd) expect(raised.body.docs_cmd).toEqual(['gbrain', 'errors', one.code]);
  const fix = raised.body.fix as RenderedAction | undefined;
  expect(fix?.next).toBe(nextOf(one, at.door));
  await one.clear?.(at);
  if (!fix) return;
  const done = await follow(at, one, fix);
  expect(done?.code, JSON.stringify(done?.body ?? '').slice(0, 600)).toBe(one.leads);
  if (!done && fix.next !== 'report') expect(fix.user_message).toMatch(/.{20}/);
  await check(at, one, fix);
  if (fix.then) await follow(at, one, fix.then);
  if (one.settles) expect((await raise(at, one)).code).not.toBe(one.code);
}
