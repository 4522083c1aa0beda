// The index of facts: what it ranks first, that weights are those of what the reader may see, and that it follows.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { beforeAll, describe, expect, test } from 'vitest';
import { FactIndex, type IndexedFact } from './fact-index.ts';
import { currentFacts } from './live-facts.ts';

const NOW = new Date('2026-03-01T00:00:00.000Z');
const fact = (id: number, words: string, rest: Partial<IndexedFact> = {}): IndexedFact => ({
  id,
  sourceId: 'default',
  isPrivate: false,
  terms: words.split(' '),
  kind: 'fact',
  confidence: 1,
  validFrom: NOW,
  validUntil: null,
  expiredAt: null,
  isReplaced: false,
  createdAt: id,
  ...rest,
});
const asked = (words: string, rest: object = {}) => ({
  terms: words.split(' '),
  admits: () => true,
  now: NOW,
  shareMin: 0.34,
  limit: 5,
  ...rest,
});
const indexOf = (...facts: IndexedFact[]) => {
  const index = new FactIndex();
  index.put(facts);
  return index;
};

describe('an index of facts', () => {
  test('puts the rarer word first, then the newer fact', () => {
    const common = Array.from({ length: 40 }, (_, i) => fact(10 + i, 'runs mill'));
    const index = indexOf(fact(1, 'runs ferry'), ...common);
    expect(index.rank(asked('runs ferry')).map(({ id }) => id)).toEqual([1]);
    expect(index.rank(asked('runs', { limit: 2 })).map(({ id }) => id)).toEqual([49, 48]);
  });

  test('weighs words by what the reader may see alone', () => {
    const open = [fact(1, 'alice tea'), fact(2, 'alice mill'), fact(3, 'bob mill')];
    const hidden = Array.from({ length: 50 }, (_, i) => fact(100 + i, 'alice secret', { isPrivate: true }));
    const question = asked('alice mill', { admits: (one: IndexedFact) => !one.isPrivate });
    expect(indexOf(...open, ...hidden).rank(question)).toEqual(indexOf(...open).rank(question));
  });

  test('holds the last state of a fact, however often it changed', () => {
    const index = indexOf(fact(1, 'alice tea'));
    for (let round = 0; round < 5_000; round++) index.put([fact(1, `alice round${round}`), fact(2, `bob x${round}`)]);
    expect(index.size).toBe(2);
    expect(index.rank(asked('tea'))).toEqual([]);
    expect(index.rank(asked('round4999')).map(({ id }) => id)).toEqual([1]);
    index.put([fact(1, 'alice round4999', { expiredAt: 5 })]);
    expect(index.get(1)).toMatchObject({ expiredAt: 5 });
    index.remove([1]);
    expect(index.rank(asked('round4999'))).toEqual([]);
  });

  test('orders given facts, those without a shared word last', () => {
    const index = indexOf(fact(1, 'alice tea'), fact(2, 'alice mill'), fact(3, 'bob'));
    expect(index.order([1, 2, 3, 9], asked('mill')).map(({ id }) => id)).toEqual([2, 3, 1]);
  });
});

const PAGE = `---
title: Alice
---
Alice lives by the river.

## Facts

<!--- gbrain:facts:begin -->
| # | claim | kind | confidence | visibility | notability | valid_from | valid_until | source | context |
|---|---|---|---|---|---|---|---|---|---|
| 1 | Alice keeps nine otters | fact | 1 | world | medium | | | register | |
<!--- gbrain:facts:end -->
`;

eachStore('facts that are followed', (given) => {
  let host: TestHost;
  const recalled = async (query: string, caller = AGENT) =>
    (await host.ok<{ facts: { fact: string }[] }>('recall', { query }, caller)).facts.map((one) => one.fact);
  const held = async () => (await currentFacts(given().store)).size;

  beforeAll(async () => {
    host = testHost(given().store);
    await host.ok('put_page', { slug: 'people/alice', content: PAGE });
  });

  test('go with their page and come back with it', async () => {
    expect(await recalled('who keeps otters')).toEqual(['Alice keeps nine otters']);
    const before = await held();
    await host.ok('delete_page', { slug: 'people/alice' });
    expect(await recalled('who keeps otters')).toEqual([]);
    expect(await held()).toBe(before - 1);
    await host.ok('restore_page', { slug: 'people/alice' });
    expect(await recalled('who keeps otters')).toEqual(['Alice keeps nine otters']);
    const content = PAGE.replace('title: Alice', 'title: Alice\nvisibility: private');
    await host.ok('put_page', { slug: 'people/alice', content, force: true });
    expect(await recalled('who keeps otters')).toEqual([]);
    expect(await recalled('who keeps otters', OWNER)).toEqual(['Alice keeps nine otters']);
  });

  test('are found in the next call after they were written, and not after they were forgotten', async () => {
    const { id } = await host.ok<{ id: string }>(
      'remember',
      { fact: 'The ferry sails at dawn', provenance: 'Bob' },
      AGENT,
    );
    expect(await recalled('when does the ferry sail')).toEqual(['The ferry sails at dawn']);
    await host.ok('forget', { id }, AGENT);
    expect(await recalled('when does the ferry sail')).toEqual([]);
    const { facts } = await host.ok<{ facts: { fact_id: string }[] }>('recall', {
      query: 'ferry sail',
      include_expired: true,
    });
    expect(facts.map((one) => one.fact_id)).toEqual([id]);
  });
});
