// Shows the product at work: a brain of its own under .start/, written and read from a terminal and over MCP.
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { showDurableTurn } from './start-brain.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, '.start', 'home');
const launcher = join(root, 'packages/gbrain/bin/gbrain');
const env = { ...process.env, GBRAIN_HOME: home };

const say = (text: string) => process.stdout.write(`${text}\n`);
const step = (text: string) => say(`\n${text}`);

function gbrain(args: string[], given: { input?: string; exits?: readonly number[] } = {}): string {
  say(`  $ gbrain ${args.join(' ')}`);
  const { input, exits = [0] } = given;
  const done = spawnSync(launcher, args, { env, cwd: root, encoding: 'utf8', ...(input !== undefined && { input }) });
  for (const line of done.stdout.trimEnd().split('\n').slice(0, 12)) say(`    ${line}`);
  if (!exits.includes(done.status ?? -1)) throw new Error(done.stderr);
  return done.stdout;
}

const PAGE = `---
title: Acme Robotics
type: company
tags: [customer]
---

# Acme Robotics

Makes warehouse robots. Our contact is Ada Example; the contract renews in April.
`;

/** A link, an alias, a date, words in part with a misspelt one, a title without its accents, another script, an id. */
const QUESTIONS = [
  'who founded kestrel optics',
  'Kestrel',
  'what did we say about packaging in may 2026',
  'delivry windows',
  'zurich cafe',
  '浦东的冷链仓库',
  'INV-20931',
];

async function overMcp(): Promise<void> {
  const client = new Client({ name: 'npm-start', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: launcher,
      args: ['serve', '--surface', 'starter'],
      env: env as Record<string, string>,
    }),
  );
  const tools = await client.listTools();
  say(
    `  ${tools.tools.length} tools: ${tools.tools
      .map((tool) => tool.name)
      .slice(0, 8)
      .join(', ')}, ...`,
  );
  const call = async (name: string, args: Record<string, unknown>) => {
    say(`  > ${name} ${JSON.stringify(args)}`);
    const result = (await client.callTool({ name, arguments: args })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    if (result.isError) throw new Error(result.content[0]?.text);
    say(`    ${(result.content[0]?.text ?? '').slice(0, 160)}`);
    return JSON.parse(result.content[0]?.text ?? 'null') as Record<string, unknown>;
  };
  const page = await call('get_page', { slug: 'companies/acme-robotics' });
  await call('edit_page', {
    slug: 'companies/acme-robotics',
    expected_revision: page.revision,
    edits: [{ old_text: 'renews in April', new_text: 'renews in May' }],
  });
  await client.close();
}

rmSync(join(root, '.start'), { recursive: true, force: true });
step('A brain in .start/home, without a key');
const made = JSON.parse(execFileSync(launcher, ['init', '--json'], { env, encoding: 'utf8' })) as { path: string };
say(`  ${made.path}`);
step('A page from the terminal');
gbrain(['put', 'companies/acme-robotics'], { input: PAGE });
step('An agent reads and edits it over MCP');
await overMcp();
step('The terminal sees the edit');
const text = gbrain(['get', 'companies/acme-robotics']);
if (!text.includes('renews in May')) throw new Error('the edit did not arrive');
gbrain(['list']);
step('A folder of markdown comes in, with its links');
// One file of it is not UTF-8 on purpose: it is named, and the command says so with its exit status.
gbrain(['import', 'examples/vault'], { exits: [1] });
gbrain(['backlinks', 'companies/kestrel-optics']);
step('It is asked, without a key; behind each answer stands why it was found');
for (const question of QUESTIONS) gbrain(['search', question, '--limit', '2']);
step('And how the first of them came to its place');
gbrain(['search', QUESTIONS[0]!, '--limit', '1', '--explain']);
step('A durable agent session: a turn, a kill in the middle of the next, a restart');
await showDurableTurn(root, join(root, '.start', 'brain'));
step('Wire your own agent to it');
say(
  '  npx gbrain bootstrap harness --harness all --dry-run   (Claude Code, Codex, OpenCode, Cursor: what would change)',
);
say(`  or, in any other app, as a stdio MCP server: ${launcher} serve --surface starter`);
say('  (without GBRAIN_HOME the brain is ~/.gbrain; make it with: npx gbrain init)');
