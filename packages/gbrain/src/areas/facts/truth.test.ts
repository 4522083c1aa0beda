// Facts over time, on both engines: the same in other words, updates, what was so when, premises, contradictions.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { beforeAll, describe, expect, test } from 'vitest';

interface Saved {
  id: string;
  status: string;
  [key: string]: unknown;
}
interface Fact {
  fact_id: string;
  fact: string;
  premise_changed?: string[];
}

const DAY = 86_400_000;

eachStore('truth over time', (given) => {
  let host: TestHost;
  let clock = Date.UTC(2026, 2, 1, 9);
  const later = (days: number) => {
    clock += days * DAY;
  };
  const today = () => new Date(clock).toISOString();
  const remember = (fact: string, args: Record<string, unknown> = {}, caller = AGENT) =>
    host.ok<Saved>('remember', { provenance: 'Alice, in chat', fact, ...args }, caller);
  const recall = async (args: Record<string, unknown>) =>
    (await host.ok<{ facts: Fact[] }>('recall', args, AGENT)).facts;
  const ids = async (args: Record<string, unknown>) => (await recall(args)).map((fact) => fact.fact_id);

  beforeAll(async () => {
    host = testHost(given().store, { now: () => new Date(clock++) });
    const page = (title: string, more = '') =>
      `---\ntitle: ${title}\ntype: person\n${more}---\n${title} is known here.\n`;
    await host.ok('put_page', { slug: 'people/alice-example', content: page('Alice Example', 'aliases: [Ally]\n') });
    await host.ok('put_page', { slug: 'people/bob-example', content: page('Bob Example') });
  });

  test('the same in other words is the same fact, by whatever name', async () => {
    const first = await remember('Alice Example prefers green tea');
    for (const text of [
      'FYI: Ally really prefers the green tea!',
      'As I mentioned, Alice Example still prefers green tea',
    ])
      expect(await remember(text)).toMatchObject({ status: 'duplicate', id: first.id, near_duplicate: true });
    for (const text of ['Bob Example prefers green tea', 'Alice Example prefers black tea'])
      expect(await remember(text)).toMatchObject({ status: 'inserted' });
  });

  test('an update serves the new value, and the old one for the time before', async () => {
    const old = await remember('Alice Example lives in Lyon');
    const then = today();
    later(10);
    const next = await remember('Alice Example moved to Paris', { provenance: 'Bob' });
    expect(next).toMatchObject({ status: 'superseded', superseded_fact_id: old.id });
    expect(next).not.toHaveProperty('replaced_by_caller');
    expect(await ids({ grep: 'Paris' })).toEqual([next.id]);
    expect(await ids({ grep: 'Lyon' })).toEqual([]);
    expect(await ids({ query: 'where does Alice live', as_of: then })).toContain(old.id);
    expect(await ids({ query: 'where does Alice live', as_of: then })).not.toContain(next.id);
    expect(await ids({ grep: 'Paris', as_of: today() })).toEqual([next.id]);
    expect(await ids({ grep: 'Lyon', as_of: '2020-01-01' })).toEqual([]);
  });

  test('what was replaced does not come back by being told again, unless somebody says that it holds', async () => {
    const again = await remember('Alice Example lives in Lyon');
    const [now] = await recall({ grep: 'Paris' });
    expect(again).toMatchObject({ status: 'duplicate', superseded_by: now!.fact_id });
    expect(await ids({ grep: 'Lyon' })).toEqual([]);
    const back = await remember('Alice Example lives in Lyon', { replaces: now!.fact_id });
    expect(back).toMatchObject({ status: 'superseded', replaced_by_caller: true });
    expect(await ids({ grep: 'Paris' })).toEqual([]);
  });

  test('the same source corrects itself; another source stands beside it and both are reported', async () => {
    const first = await remember('The pilot budget is $50,000', { provenance: 'board minutes' });
    const corrected = await remember('The pilot budget is $60k', { provenance: 'Board minutes' });
    expect(corrected).toMatchObject({ status: 'superseded', superseded_fact_id: first.id });
    const other = await remember('The pilot budget is 70,000 dollars', { provenance: 'the bank' });
    expect(other).toMatchObject({ status: 'inserted', conflicts_with: [corrected.id] });
    expect((await ids({ query: 'pilot budget' })).sort()).toEqual([corrected.id, other.id].sort());
    const { contradictions } = await host.ok<{ contradictions: { facts: Fact[] }[] }>('find_contradictions', {}, AGENT);
    expect(contradictions[0]).toMatchObject({
      attribute: 'budget',
      severity: 'high',
      facts: [
        { fact_id: other.id, provenance: 'the bank' },
        { fact_id: corrected.id, provenance: 'Board minutes' },
      ],
    });
    await host.ok('forget', { id: other.id }, AGENT);
    expect(await host.ok('find_contradictions', {}, AGENT)).toMatchObject({ contradictions: [], total: 0 });
  });

  test('what settles a dispute ends the other side of it, though it is no news', async () => {
    const first = await remember('The mill is owned by Erin Example', { provenance: 'register' });
    const other = await remember('The mill is owned by Finn Example', { provenance: 'press' });
    expect(other).toMatchObject({ conflicts_with: [first.id] });
    const settled = await remember('The mill is now owned by Finn Example', { provenance: 'register' });
    expect(settled).toMatchObject({ id: other.id, status: 'superseded', superseded_fact_id: first.id });
    expect(await ids({ grep: 'The mill is' })).toEqual([other.id]);
  });

  test('a denial stands against what it denies; a page is never overruled', async () => {
    const table =
      '| # | claim | kind | confidence | visibility | notability | valid_from | valid_until | source | context |';
    const row = '| 1 | Bob Example works at Acme | fact | 1 | world | high | | | letter | |';
    const rows = [table, `|${'---|'.repeat(10)}`, row].join('\n');
    const fence = `## Facts\n\n<!--- gbrain:facts:begin -->\n${rows}\n<!--- gbrain:facts:end -->\n`;
    const content = `---\ntitle: Bob Example\ntype: person\n---\nBob.\n\n${fence}`;
    await host.ok('put_page', { slug: 'people/bob-example', content, force: true });
    const [stated] = await recall({ entity: 'people/bob-example', grep: 'Acme' });
    const denied = await remember('Bob Example no longer works at Acme');
    expect(denied).toMatchObject({ status: 'inserted', conflicts_with: [stated!.fact_id] });
    expect(await ids({ grep: 'works at Acme' })).toContain(stated!.fact_id);
    const said = await remember('Carol likes jazz');
    const { facts } = (
      await host.ok<{ contradictions: { facts: Fact[] }[] }>('find_contradictions', {
        slug: 'people/bob-example',
      })
    ).contradictions[0]!;
    expect(facts.map((fact) => fact.fact_id)).toEqual([denied.id, stated!.fact_id]);
    expect(await remember('Carol does not like jazz', { provenance: 'Dora' })).toMatchObject({
      conflicts_with: [said.id],
    });
  });

  test('an agent does not overrule the owner, and nobody sees a private fact in the reply', async () => {
    const owners = await remember('The code name is Heron', { infer_entity: false }, OWNER);
    expect(await remember('The code name is now Stork')).toMatchObject({
      status: 'inserted',
      conflicts_with: [owners.id],
    });
    await remember("Bob Example's salary is 100 EUR", { visibility: 'private' }, OWNER);
    expect(await remember("Bob Example's salary is now 200 EUR")).not.toHaveProperty('conflicts_with');
  });

  test('a conclusion is marked when its premise changes, and so is what was concluded from it', async () => {
    const premise = await remember('The launch date is 2026-06-01');
    const derived = await remember('The fair falls before the launch', {
      derived_from: [premise.id],
      content_origin: 'inferred',
    });
    const second = await remember('The stand shows the beta', { derived_from: [derived.id] });
    const marks = async () =>
      Object.fromEntries((await recall({ limit: 100 })).map((fact) => [fact.fact_id, fact.premise_changed]));
    expect(await marks()).toMatchObject({ [derived.id]: undefined, [second.id]: undefined });
    await remember('The launch date was moved to 2026-05-01');
    expect(await marks()).toMatchObject({ [derived.id]: [premise.id], [second.id]: [premise.id] });
    const { text } = await host.ok<{ text: string }>('delta', { since: '2026-01-01' }, AGENT);
    expect(text).toContain('what it was concluded from has changed');
    expect(await host.refused('remember', { fact: 'x y', provenance: 'z', derived_from: ['99999'] })).toMatchObject({
      code: 'not_found',
    });
    expect(await host.refused('remember', { fact: 'x y', provenance: 'z', derived_from: ['people/x'] })).toMatchObject({
      code: 'invalid_params',
    });
  });

  test('news of an earlier time are history, and what will be is not yet', async () => {
    const now = await remember("Alice Example's desk is 14");
    const before = await remember("Alice Example's desk is 7", { valid_from: '2025-01-01' });
    expect(before).toMatchObject({ status: 'inserted', superseded_by: now.id });
    expect(await ids({ grep: 'desk' })).toEqual([now.id]);
    expect(await ids({ grep: 'desk', as_of: '2025-06-01' })).toEqual([before.id]);
    const planned = await remember("Alice Example's desk is 20 from 2030-01-01");
    expect(planned).toMatchObject({ status: 'inserted' });
    expect(await ids({ grep: 'desk is 14' })).toEqual([now.id]);
    const future = { fact: 'x y', provenance: 'z', valid_from: '2999-01-01' };
    expect(await host.refused('remember', future)).toMatchObject({ code: 'invalid_params' });
  });

  test('numbers make a series, the replaced ones included, with every fall', async () => {
    for (const [month, value] of [
      ['January', '50K'],
      ['February', '52K'],
      ['March', '40K'],
    ])
      await remember(`Bob Example's MRR was $${value} in ${month} 2026`);
    await remember("Bob Example's headcount is 40");
    await remember("Bob Example's headcount rose to 44");
    const series = async (metric: string) =>
      (await host.ok<{ metrics: unknown[] }>('find_trajectory', { entity_slug: 'Bob Example', metric }, AGENT)).metrics;
    expect(await series('headcount')).toMatchObject([
      { metric: 'headcount', points: [{ value: 40, superseded: true }, { value: 44 }], regressions: [], change: 0.1 },
    ]);
    expect(await series('MRR')).toMatchObject([
      {
        metric: 'mrr',
        unit: 'usd',
        points: [{ date: '2026-01-01', value: 50_000 }, { value: 52_000 }, { value: 40_000 }],
        regressions: [{ from: '2026-02-01', to: '2026-03-01', drop: 0.2308 }],
      },
    ]);
    const none = { entity_slug: 'people/bob-example', since: '2999-01-01' };
    expect(await host.ok('find_trajectory', none)).toMatchObject({ metrics: [] });
  });

  test('chatter and echoes are not saved, and say why', async () => {
    const chat = await host.refused('remember', { fact: 'Sounds good, thanks!', provenance: 'x' }, AGENT);
    expect(chat).toMatchObject({ code: 'invalid_params', reason: 'transient_chatter' });
    const { id } = await remember('Dora collects old maps and globes of the sea');
    await recall({ grep: 'old maps' });
    const echo = await remember('Dora collects old maps', { provenance: 'memory' });
    expect(echo).toMatchObject({ status: 'duplicate', id, echo: true });
    expect(await remember('Dora collects old maps', { content_origin: 'user_said' })).toMatchObject({
      status: 'inserted',
    });
    await host.ok('put_page', {
      slug: 'notes/fair',
      content: '---\ntitle: Fair\n---\nThe fair opens its doors at nine.\n',
    });
    await host.ok('query', { query: 'when does the fair open its doors' }, AGENT);
    const repeat = { fact: 'The fair opens its doors at nine', provenance: 'memory' };
    expect(await host.refused('remember', repeat, AGENT)).toMatchObject({ reason: 'echo_of_page' });
    expect(await host.ok('remember', { ...repeat, content_origin: 'user_said' }, AGENT)).toMatchObject({
      status: 'inserted',
    });
  });

  test('a forgotten fact does not come back in other words', async () => {
    const { id } = await remember('The door code is four blue herons');
    await host.ok('forget', { id }, AGENT);
    const again = { fact: 'Note that the door code is still 4 blue herons', provenance: 'x' };
    expect(await host.refused('remember', again, AGENT)).toMatchObject({ reason: 'fact_withdrawn' });
    expect(await ids({ grep: 'herons', as_of: today() })).toEqual([]);
  });

  test('two at once in other words make one fact', async () => {
    const saved = await Promise.all(
      ['Erin plays the cello', 'FYI, Erin plays the cello', 'Note that Erin really plays the cello'].map((text) =>
        remember(text),
      ),
    );
    expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
  });

  describe('afterwards', () => {
    test('nothing failed unexpectedly', () => expect(host.faults).toEqual([]));
  });
});
