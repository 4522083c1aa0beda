// Memory over the built binary and a real pipe: one session remembers, another one after a restart recalls and forgets.
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
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
