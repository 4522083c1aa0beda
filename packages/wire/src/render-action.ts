// Turns a stored step into what one connection sees of it; it decides nothing that next.ts decides and does no I/O.
import {
  type Action,
  type Actor,
  AGENT_TOOL_LIMIT_MS,
  type Connection,
  type McpCall,
  type RenderedAction,
  type Verify,
} from './action.ts';
import { covers } from './caps.ts';
import { decideNext, decideReach, type NextFacts, type Reach } from './next.ts';
import { isGbrain, pinArgv } from './pins.ts';
import { redactAction } from './redact.ts';
import { shellQuote } from './shell-quote.ts';

/**
 * A step as the connection sees it, in the wire's key order with empty fields left out: pinned argv and its command,
 * the MCP call where it is callable (or relayed), the effective actor, `next`, an absolute docs URL. `then` is
 * rendered alike. Over HTTP host details are redacted. Source: AGENT_OPERATOR v1, The fix.
 */
export function renderAction(stored: Action, connection: Connection): RenderedAction {
  const action = connection.transport === 'http' ? redactAction(stored) : stored;
  const facts = toNextFacts(action, connection);
  const reach = decideReach(facts);
  const actor = effectiveActor(facts, reach, isGbrain(action.argv ?? []));
  const relayed = reach === 'mcp_only_on_cli';
  const argv = facts.hasArgv ? pinArgv(action.argv as string[], connection, actor) : undefined;
  const mcp = facts.mcpCallable || relayed ? action.mcp : undefined;
  const userMessage = relayed ? relayMessage(action) : action.user_message;
  const verify = renderVerify(action.verify, connection, actor);
  const docs = renderDocs(action.docs, connection.docsBase);
  return {
    ...(argv && { argv, command: shellQuote(argv) }),
    ...(mcp && { mcp: { tool: mcp.tool, arguments: mcp.arguments } }),
    consent: [...action.consent],
    actor,
    next: decideNext(facts),
    why: action.why,
    ...(userMessage && { user_message: userMessage }),
    ...(verify && { verify }),
    ...(docs && { docs }),
    requires_exclusive: action.requires_exclusive,
    ...(action.inputs?.length && { inputs: action.inputs.map(({ name, how }) => ({ name, how })) }),
    ...(action.plan_hash && { plan_hash: action.plan_hash }),
    ...(action.preview_argv?.length && { preview_argv: pinArgv(action.preview_argv, connection, actor) }),
    // biome-ignore lint/suspicious/noThenProperty: the wire's name for step two; it is never a function.
    ...(action.then && { then: renderAction(action.then, connection) }),
  };
}

/** The facts of a stored step that decide `next` on a connection. */
export function toNextFacts(action: Action, connection: Connection): NextFacts {
  return {
    userDecision: action.user_decision === true,
    transport: connection.transport,
    hasArgv: (action.argv?.length ?? 0) > 0,
    hasMcp: action.mcp !== undefined,
    mcpCallable: isCallable(action.mcp, connection),
    actor: isTooLong(action) ? operatorOf(connection.transport) : action.actor,
    consentCovered: covers(connection.preapproval, action.consent, action.est_usd),
  };
}

/** An absolute docs URL: kept when it is one already, joined to the base otherwise, undefined without a base. */
export function renderDocs(docs: string | undefined, docsBase: string | undefined): string | undefined {
  if (docs === undefined || docs === '') return undefined;
  if (/^https?:\/\//.test(docs)) return docs;
  if (docsBase === undefined || docsBase === '') return undefined;
  return `${docsBase.replace(/\/+$/, '')}/${docs.replace(/^\/+/, '')}`;
}

/** The step as one line of text: `tool {arguments}`, else the command; undefined when there is nothing to run. */
export function stepText(fix: RenderedAction, transport: Connection['transport']): string | undefined {
  if (fix.mcp !== undefined) {
    const call = JSON.stringify(fix.mcp.arguments);
    return transport === 'cli' ? `call ${fix.mcp.tool} over MCP with ${call}` : `${fix.mcp.tool} ${call}`;
  }
  return fix.command;
}

/** The human line of a step, such as `Fix: gbrain doctor --json`; undefined when there is nothing to run. */
export function fixLine(fix: RenderedAction, transport: Connection['transport']): string | undefined {
  const step = stepText(fix, transport);
  return step === undefined ? undefined : `Fix: ${step}`;
}

function isCallable(mcp: McpCall | undefined, connection: Connection): boolean {
  return mcp !== undefined && connection.transport !== 'cli' && connection.isCallable(mcp.tool);
}

// A provider stays the provider: row 3 of the table comes before the rows on who can run the step.
function effectiveActor(facts: NextFacts, reach: Reach, isOurs: boolean): Actor {
  const { actor, transport } = facts;
  if (actor === 'provider') return 'provider';
  if (reach === 'mcp_only_on_cli') return 'user';
  if (reach !== 'cli_only_on_mcp') return actor;
  // A program that is not gbrain is the user's own (their harness, their git), wherever the brain runs.
  return actor === 'user' && !isOurs ? 'user' : operatorOf(transport);
}

/** Who runs a step that the agent cannot: on stdio and the CLI the user has the brain's machine at hand. */
function operatorOf(transport: Connection['transport']): Actor {
  return transport === 'http' ? 'host_admin' : 'user';
}

function isTooLong(action: Action): boolean {
  return action.actor === 'agent' && (action.expected_ms ?? 0) > AGENT_TOOL_LIMIT_MS;
}

function relayMessage(action: Action): string {
  const call = action.mcp as McpCall;
  const shown = JSON.stringify(call.arguments);
  const relay = `This step runs over MCP: ask an agent connected to this brain to call ${call.tool} with ${shown}.`;
  return action.user_message ? `${action.user_message} ${relay}` : relay;
}

function renderVerify(verify: Verify | undefined, connection: Connection, actor: Actor): Verify | undefined {
  const argv = verify?.argv?.length ? pinArgv(verify.argv, connection, actor) : undefined;
  const mcp = isCallable(verify?.mcp, connection) ? verify?.mcp : undefined;
  if (argv === undefined && mcp === undefined) return undefined;
  return { ...(argv && { argv }), ...(mcp && { mcp: { tool: mcp.tool, arguments: mcp.arguments } }) };
}
