// Which server a conformance run is about: a command, an address, or our own server on an empty brain of its own.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import type { ToolServer, ToolTarget } from '../../host.ts';

/** A server to check, and how it is let go. */
export interface CheckedServer {
  shown: string;
  server: ToolServer;
  close(): Promise<void>;
}

/** Words of a command as a shell would take them: quotes and backslashes, no expansion. */
export function commandWords(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g)) {
    words.push(
      match[0].replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, plain) =>
        double !== undefined ? double.replace(/\\(.)/g, '$1') : (single ?? plain),
      ),
    );
  }
  return words;
}

/** What the text of a target names. Raises `invalid_params` for an empty one. */
export function parseTarget(text: string, token: string | undefined): ToolTarget {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return { url: text, ...(token !== undefined && { token }) };
  const argv = commandWords(text);
  if (argv.length === 0) {
    raise('invalid_params', {
      tool: 'protocol_conformance',
      param: 'target',
      problem: 'shape',
      expected: 'a command that serves MCP on its pipe, or an http address',
    });
  }
  return { argv };
}

async function connect(ctx: Context, target: ToolTarget, shown: string): Promise<ToolServer> {
  try {
    return await ctx.host.connectTools(target, ctx.signal);
  } catch (error) {
    ctx.signal.throwIfAborted();
    const { message } = error as Error;
    const isRefused = /\b401\b|\b403\b|unauthori[sz]ed|forbidden/i.test(message);
    const reason = isRefused ? 'unauthorized' : 'url' in target ? 'unreachable' : 'not_started';
    return raise('target_unreachable', { target: shown, reason, why: message.slice(0, 300) }, error);
  }
}

/** Our own server on a brain made for this run; nothing of the user's brain is read or written. */
async function ownServer(ctx: Context): Promise<CheckedServer> {
  const { host, signal } = ctx;
  const home = await mkdtemp(join(tmpdir(), 'gbrain-conformance-'));
  const close = () => rm(home, { recursive: true, force: true });
  const shown = `${host.launcher} serve --surface verbs`;
  try {
    const env = { ...host.env, GBRAIN_HOME: home, GBRAIN_DATABASE_URL: undefined, DATABASE_URL: undefined };
    await promisify(execFile)(host.launcher, ['init', '--pglite', '--no-embedding', '--json'], {
      env: env as NodeJS.ProcessEnv,
      signal,
    });
    const server = await connect(ctx, { argv: [host.launcher, 'serve', '--surface', 'verbs'], env }, shown);
    return { shown, server, close: () => server.close().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the server of a run. Raises `target_unreachable`. */
export async function openTarget(ctx: Context, text: string | undefined, token?: string): Promise<CheckedServer> {
  if (text === undefined) return ownServer(ctx);
  const server = await connect(ctx, parseTarget(text, token), text);
  return { shown: text, server, close: () => server.close() };
}
