// kill -9 around a call of a model: whatever was reserved stays counted, nothing is sent twice, and the ledger names
// it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { expect, test } from 'vitest';

interface Usage {
  total_usd: number;
  groups: { spent_usd: number; reserved_usd: number; remaining_usd: number }[];
}

test.each([
  ['model_call_reserved', 0],
  ['model_call_answered', 1],
])('killed at %s', async (point, hits) => {
  await using home = await GbrainHome.withBrain();
  const provider = await startScriptedProvider(() => ({ text: '{"answer":"Tea [notes/tea]."}' }));
  const env = {
    GBRAIN_CHAT_MODEL: 'openai:gpt-5-mini',
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${provider.origin}/openai/v1`,
  };
  try {
    await home.run(['put', 'notes/tea'], { stdin: '# Tea\n\nGreen tea is steeped.\n' });
    const killed = await home.run(['think', 'green tea'], { env: { ...env, GBRAIN_FAULT_POINT: `${point}:kill` } });
    expect(killed.exit).not.toBe(0);
    expect(provider.hits.length).toBe(hits);
    const usage = JSON.parse((await home.run(['usage', '--json'])).stdout) as Usage;
    expect(usage.total_usd).toBeGreaterThan(0);
    expect(usage.groups).toMatchObject([{ spent_usd: 0, reserved_usd: usage.total_usd }]);
    const again = JSON.parse((await home.run(['think', '--json', 'green tea'], { env })).stdout) as {
      sources: string[];
    };
    expect(again.sources).toEqual(['notes/tea']);
    expect(provider.hits.length).toBe(hits + 1);
  } finally {
    await provider.close();
  }
});

test('killed between the facts of turns: what was saved is not asked about again, each is there once', async () => {
  await using home = await GbrainHome.withBrain();
  const said = ['Anna leads the otter project', 'Bert lives in Narvik', 'Cleo sold the boat', 'Dora mends the roof'];
  const turnOf = (body: unknown) => said.find((text) => JSON.stringify(body).includes(`${text}\\n</turn>`))!;
  const provider = await startScriptedProvider(({ body }) => {
    const fact = turnOf(body);
    const one = { fact, quote: fact, kind: 'fact', entity: null, said_by: 'user', notability: 'high' };
    return { text: JSON.stringify({ facts: [one] }) };
  });
  const env = {
    GBRAIN_CHAT_MODEL: 'openai:gpt-5-mini',
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${provider.origin}/openai/v1`,
  };
  const file = join(home.folder, 'session.jsonl');
  const entry = (content: string) => ({
    type: 'user',
    sessionId: 's',
    timestamp: '2026-02-01T09:30:00.000Z',
    message: { role: 'user', content },
  });
  writeFileSync(file, said.map((text) => `${JSON.stringify(entry(text))}\n`).join(''));
  const command = ['transcripts', 'ingest', file, '--facts', '--yes', '--json'];
  const run = async (more: Record<string, string> = {}) => home.run(command, { env: { ...env, ...more } });
  const facts = async () =>
    (JSON.parse((await home.run(['recall', '--json'])).stdout) as { facts: { fact: string }[] }).facts
      .map(({ fact }) => fact)
      .sort();
  try {
    const killed = await run({ GBRAIN_FAULT_POINT: 'model_call_answered:kill@3' });
    expect(killed.exit).not.toBe(0);
    const saved = await facts();
    expect(said).toEqual(expect.arrayContaining(saved));
    provider.hits.length = 0;
    const again = JSON.parse((await run()).stdout) as { facts: { inserted: number; read: number } };
    expect(again.facts).toMatchObject({ read: said.length - saved.length, inserted: said.length - saved.length });
    expect(provider.hits.map(({ body }) => turnOf(body)).sort()).toEqual(said.filter((one) => !saved.includes(one)));
    expect(await facts()).toEqual(said);
  } finally {
    await provider.close();
  }
});
