// Memory over the built binary and a real pipe: one session remembers, another one after a restart recalls and forgets;
// and the hook of an agent app, run as the app runs it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GbrainHome, runProgram } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { expect, test } from 'vitest';

interface Recalled {
  facts: { fact_id: string; fact: string }[];
}

async function open(home: GbrainHome): Promise<McpPipe> {
  const pipe = new McpPipe(home.start(['serve', '--surface', 'verbs']));
  await pipe.initialize();
  return pipe;
}

test('a fact outlives its session, and forgetting it outlives the next', async () => {
  await using home = await GbrainHome.withBrain();
  const first = await open(home);
  const saved = (await first.body('remember', { fact: 'Alice prefers green tea', provenance: 'Alice' })) as {
    id: string;
  };
  expect(saved).toMatchObject({ protocol_version: 1, status: 'inserted', warnings: ['NO_ENTITY'] });
  await first.close();

  const second = await open(home);
  const found = (await second.body('recall', { query: 'which tea does Alice like' })) as Recalled;
  expect(found.facts).toMatchObject([{ fact_id: saved.id, fact: 'Alice prefers green tea' }]);
  expect(await second.body('forget', { id: saved.id })).toMatchObject({ expired: true, protocol_version: 1 });
  const refused = await second.envelope('remember', { fact: 'alice prefers green tea.', provenance: 'Alice' });
  expect(refused).toMatchObject({ error: 'invalid_params', code: 'invalid_params', protocol_version: 1 });
  await second.close();

  const shown = await home.json<Recalled>(['recall', 'tea', '--json']);
  expect(shown.facts).toEqual([]);
});

test('the same answers come from the command line', async () => {
  await using home = await GbrainHome.withBrain();
  const saved = await home.run(['remember', 'The pilot starts in May', '--provenance', 'kick-off']);
  expect(saved).toMatchObject({ exit: 0 });
  expect(saved.stdout).toMatch(/^Saved\. Fact \d+\.\n$/);
  const refused = await home.run(['remember', 'Without a source', '--json']);
  expect(refused.exit).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'provenance_required', protocol_version: 1 });
});

test('the Stop hook as the app runs it: quiet beside a server and at any fault; its turns become facts', async () => {
  const fact = 'We ship on Fridays from now on';
  const one = { fact, quote: fact, kind: 'fact', entity: null, said_by: 'user', notability: 'high' };
  const provider = await startScriptedProvider(() => ({ text: JSON.stringify({ facts: [one] }) }));
  const env = {
    GBRAIN_CHAT_MODEL: 'openai:gpt-5-mini',
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${provider.origin}/openai/v1`,
  };
  await using home = await GbrainHome.withBrain();
  try {
    await home.run(['config', 'set', 'memory.auto_writeback', 'salient']);
    await home.run(['bootstrap', 'harness', '--harness', 'claude-code', '--yes']);
    const settings = join(home.folder, '.claude', 'settings.json');
    const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
      hooks: { Stop: { hooks: { command: string }[] }[] };
    };
    const { command } = hooks.Stop[0]!.hooks[0]!;
    const transcript_path = join(home.folder, 'session.jsonl');
    const message = { role: 'user', content: fact };
    writeFileSync(transcript_path, `${JSON.stringify({ type: 'user', sessionId: 's', message })}\n`);
    const stop = (stdin: string, line = command) => runProgram(['sh', '-c', line], { env: home.env, stdin });
    const payload = JSON.stringify({ session_id: 's', transcript_path, hook_event_name: 'Stop' });

    const session = await open(home);
    const quiet = { exit: 0, stdout: '', stderr: '' };
    for (const stdin of [payload, payload, '', 'no json']) expect(await stop(stdin)).toMatchObject(quiet);
    expect(await stop(payload, command.replace('/gbrain', '/not-there'))).toMatchObject(quiet);
    expect(await home.json(['facts', 'drain', '--dry-run'])).toMatchObject({ mode: 'salient', waiting: 1 });
    expect(await home.json(['facts', 'drain'])).toMatchObject({ deferred: 'no_key', waiting: 1 });
    await session.close();
    expect(await home.json(['facts', 'drain'], { env })).toMatchObject({ read: 1, inserted: 1, waiting: 0 });
    expect(await home.json<Recalled>(['recall', '--session-id', 's'])).toMatchObject({ facts: [{ fact }] });

    // A home that cannot be read is no fault of the session.
    rmSync(join(home.root, 'config.json'));
    mkdirSync(join(home.root, 'config.json'));
    expect(await stop(payload)).toMatchObject(quiet);
  } finally {
    await provider.close();
  }
});
