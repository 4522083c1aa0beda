// kill -9 around a call of a model: whatever was reserved stays counted, nothing is sent twice, and the ledger names
// it.
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
