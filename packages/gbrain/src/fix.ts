// A fix as a row writes it: a call of one of our operations, or a command of another program; and its stored Action.
// A fix names an operation once; its command line and its tool call both come from the registry.
import type { Action, ActionInput, Actor, Effect, Verify } from '@gbrain/wire/action';
import { callArgv } from './command-line.ts';
import type { Operation } from './operation.ts';
import type { Registry } from './registry.ts';
import { wireSchema } from './schema.ts';

/** A call of an operation by its name. */
export interface CallSpec {
  op: string;
  input: Record<string, unknown>;
}

/** A fix as an error or notice row writes it. */
export interface FixSpec {
  /** The operation to call; left out for another program's command. */
  call?: CallSpec;
  /** A command that is not ours (`kill 123`), or one of ours that needs flags beyond its input. */
  argv?: readonly string[];
  /** `mcp`: only the tool call; `cli`: only the command line. Default both, as far as they exist. */
  only?: 'mcp' | 'cli';
  /** Flags that follow the call's own, for a pin that the failing call had wrong. */
  argvTail?: readonly string[];
  why: string;
  actor?: Actor;
  consent?: readonly Effect[];
  userMessage?: string;
  verify?: CallSpec & { only?: 'mcp' | 'cli' };
  preview?: CallSpec;
  requiresExclusive?: boolean;
  inputs?: readonly ActionInput[];
  planHash?: string;
  docs?: string;
  then?: FixSpec;
  userDecision?: boolean;
  /** Estimated cost of the step, for preapproval. */
  estUsd?: number;
  /** How long it takes; a step that outlasts an agent's tool limit is never the agent's. */
  expectedMs?: number;
}

const isTool = (operation: Operation): boolean => operation.surface !== 'cli';

/** Longest text, in characters, that a fix carries again; a longer one is an input that the caller puts in. */
const CARRIED_MAX = 4000;

interface Parts extends Verify {
  inputs?: ActionInput[];
}

/** Texts that a fix does not carry: too long, or a payload that came over a pipe which is read by now. */
function leftOut(operation: Operation, input: Record<string, unknown>): ActionInput[] {
  const long = Object.keys(input).filter((key) => String(input[key]).length > CARRIED_MAX);
  const { stdin } = operation.cli;
  const isPiped = stdin !== undefined && input[stdin] === undefined && wireSchema(operation).required?.includes(stdin);
  return [...long, ...(isPiped ? [stdin] : [])].map((name) => ({ name, how: `the ${name} that you gave` }));
}

function callParts(registry: Registry, call: CallSpec, only?: 'mcp' | 'cli'): Parts | undefined {
  const operation = registry.operation(call.op);
  if (!operation) return undefined;
  const inputs = leftOut(operation, call.input);
  const input = { ...call.input, ...Object.fromEntries(inputs.map(({ name }) => [name, `<${name}>`])) };
  const argv = callArgv(operation, input);
  return {
    ...(only !== 'mcp' && { argv: operation.cli.printsJson ? withTail(argv, ['--json']) : argv }),
    ...(only !== 'cli' && isTool(operation) && { mcp: { tool: operation.name, arguments: input } }),
    ...(inputs.length > 0 && { inputs }),
  };
}

const verifyParts = (registry: Registry, { only, ...call }: NonNullable<FixSpec['verify']>): Verify | undefined => {
  const { inputs: _, ...parts } = callParts(registry, call, only) ?? {};
  return parts.argv || parts.mcp ? parts : undefined;
};

function withTail(argv: readonly string[], tail: readonly string[] = []): string[] {
  const end = argv.indexOf('--');
  return end === -1 ? [...argv, ...tail] : [...argv.slice(0, end), ...tail, ...argv.slice(end)];
}

/** The stored Action of a fix; undefined when it names an operation that does not exist. */
export function toAction(registry: Registry, fix: FixSpec): Action | undefined {
  const parts: Parts | undefined = fix.call ? callParts(registry, fix.call, fix.only) : {};
  if (!parts) return undefined;
  const inputs = fix.inputs ?? parts.inputs;
  const verify = fix.verify && verifyParts(registry, fix.verify);
  const preview = fix.preview && callParts(registry, fix.preview, 'cli');
  const then = fix.then && toAction(registry, fix.then);
  return {
    ...(fix.argv ? { argv: [...fix.argv] } : parts.argv && { argv: withTail(parts.argv, fix.argvTail) }),
    ...(parts.mcp && { mcp: parts.mcp }),
    consent: [...(fix.consent ?? [])],
    actor: fix.actor ?? 'agent',
    why: fix.why,
    ...(fix.userMessage && { user_message: fix.userMessage }),
    ...(verify && { verify }),
    ...(fix.docs && { docs: fix.docs }),
    requires_exclusive: fix.requiresExclusive ?? false,
    ...(inputs && { inputs: [...inputs] }),
    ...(fix.planHash && { plan_hash: fix.planHash }),
    ...(preview?.argv && { preview_argv: preview.argv }),
    ...(then && { then }),
    ...(fix.userDecision && { user_decision: true }),
    ...(fix.estUsd !== undefined && { est_usd: fix.estUsd }),
    ...(fix.expectedMs !== undefined && { expected_ms: fix.expectedMs }),
  };
}
