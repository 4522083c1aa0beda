// eval run over small sets of every layout, written to a folder: what it counts, what it asks of a brain, what it
// refuses.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'gbrain-eval-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, value: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

const lines = (list: readonly unknown[]): string => list.map((one) => JSON.stringify(one)).join('\n');

interface SetReport {
  name: string;
  grain: string;
  questions: number;
  all: { gbrain: Record<string, { value: number; low: number; high: number }>; bm25: Record<string, number> | null };
  categories: { kind: string; questions: number }[];
  above_bm25: Record<string, { value: number }> | null;
  negatives: { questions: number; quiet: number };
}

const locomo = [
  {
    conversation: {
      session_1_date_time: '1:56 pm on 8 May, 2023',
      session_1: [
        { speaker: 'Ann', dia_id: 'D1:1', text: 'I adopted a grey parrot.' },
        { speaker: 'Ben', dia_id: 'D1:2', text: 'My bicycle was stolen in Utrecht.' },
      ],
      session_2: [{ speaker: 'Ann', dia_id: 'D2:1', text: 'The choir sings on Sundays.' }],
    },
    qa: [
      { question: 'Where was the bicycle stolen?', evidence: ['D1:2'], category: 4 },
      { question: 'When does the choir sing?', evidence: ['D2:1; D1:1'], category: 1 },
      { question: 'What did nobody say?', evidence: ['D1:1'], category: 5 },
    ],
  },
];

eachStore('eval run', (open) => {
  let host: TestHost;
  beforeAll(async () => {
    host = testHost((await open()).store);
  });

  const run = async (dataset: string, more: Record<string, unknown> = {}) => {
    const callBrain = (inner: { op: string; args: Record<string, unknown> }) => host.call(inner.op, inner.args);
    const outcome = await host.call('eval_run', { dataset, ...more }, OWNER, { callBrain });
    if (outcome.kind === 'failed') return { code: outcome.failure.code, failure: outcome.failure };
    return outcome.output as { sets: SetReport[]; seed: number };
  };
  const setsOf = async (dataset: string, more?: Record<string, unknown>): Promise<SetReport[]> => {
    const reply = await run(dataset, more);
    if (!('sets' in reply)) throw new Error(JSON.stringify(reply));
    return reply.sets;
  };

  test('LoCoMo: sessions and turns, by category, without the adversarial questions', async () => {
    const [sessions, turns] = await setsOf(write('locomo.json', locomo));
    expect(sessions).toMatchObject({ name: 'LoCoMo sessions', grain: 'page', questions: 2 });
    expect(turns).toMatchObject({ name: 'LoCoMo turns', grain: 'chunk', questions: 2 });
    expect(turns!.categories.map(({ kind, questions }) => [kind, questions])).toEqual([
      ['single-hop', 1],
      ['multi-hop', 1],
    ]);
    expect(turns!.all.gbrain['any@5']!.value).toBe(1);
    expect(turns!.all.bm25!['any@5']).toBe(1);
    expect(turns!.all.gbrain['any@5']!.low).toBeLessThan(0.5);
    expect(turns!.above_bm25!['any@5']!.value).toBe(0);
  });

  test('the same report from the same seed, and a sample of the size asked for', async () => {
    const file = write('locomo.json', locomo);
    expect(await setsOf(file, { sample: 1, seed: 3 })).toEqual(await setsOf(file, { sample: 1, seed: 3 }));
    expect((await setsOf(file, { sample: 1 }))[1]).toMatchObject({ questions: 1 });
  });

  test('BEAM: turn groups, with questions written as a Python literal', async () => {
    write('beam/7/chat.json', [
      {
        turns: [
          [
            { role: 'user', id: 1, content: 'How do I prune an apple tree? ->-> 1,1' },
            { role: 'assistant', id: 2, content: 'Late in winter.' },
            { role: 'user', id: 3, content: 'And a quince?' },
          ],
        ],
      },
    ]);
    write(
      'beam/7/probing_questions.json',
      "{'recall': [{'question': \"How was the quince pruned?\", 'source_chat_ids': [3]}]}",
    );
    const [set] = await setsOf(join(root, 'beam'));
    expect(set).toMatchObject({ name: 'BEAM turn groups', questions: 1, categories: [{ kind: 'recall' }] });
    expect(set!.all.gbrain.MRR!.value).toBe(1);
  });

  test('LongMemEval: sessions, and abstentions as questions without an answer', async () => {
    const entry = (id: string, question: string) => ({
      question_id: id,
      question_type: 'single-session-user',
      question,
      question_date: '2023/05/30 (Tue) 23:40',
      haystack_session_ids: ['s1', 's2'],
      haystack_dates: ['2023/05/20 (Sat) 02:21', '2023/05/21 (Sun) 02:21'],
      haystack_sessions: [
        [{ role: 'user', content: 'I bought a red kayak.' }],
        [{ role: 'user', content: 'My degree is in geology.' }],
      ],
      answer_session_ids: ['s2'],
    });
    const file = write('longmemeval.json', [
      entry('q1', 'What degree do I have?'),
      entry('q2_abs', 'Which submarine?'),
    ]);
    const [set] = await setsOf(file);
    expect(set).toMatchObject({ name: 'LongMemEval sessions', questions: 1, negatives: { questions: 1, quiet: 1 } });
    expect(set!.all.gbrain['strict@1']!.value).toBe(1);
  });

  test('a folder of qrels: graded judgements in three and in four columns', async () => {
    write(
      'qrels-set/corpus.jsonl',
      lines([
        { _id: 'd1', title: 'Wings', text: 'lift of a wing' },
        { _id: 'd2', text: 'drag' },
      ]),
    );
    write(
      'qrels-set/queries.jsonl',
      lines([
        { _id: 'q1', text: 'wing lift' },
        { _id: 'q2', text: 'nobody judged this' },
      ]),
    );
    write('qrels-set/qrels/test.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n');
    const [set] = await setsOf(join(root, 'qrels-set'));
    expect(set).toMatchObject({ questions: 1 });
    expect(set!.all.gbrain['nDCG@10']!.value).toBe(1);
    rmSync(join(root, 'qrels-set/qrels'), { recursive: true });
    write('qrels-set/qrels.txt', 'q1 0 d1 1\n');
    expect((await setsOf(join(root, 'qrels-set')))[0]!.all.gbrain.MRR!.value).toBe(1);
  });

  test('a folder without a corpus asks the open brain, by slug', async () => {
    await host.ok('put_page', { slug: 'birds/parrot', content: '# Parrot\n\nGrey, talkative.' });
    const asked = [
      { id: 'a', kind: 'word', query: 'talkative', relevant: ['birds/parrot'] },
      { id: 'b', kind: 'negative', query: 'INV-99999', relevant: [] },
    ];
    write('asked/queries.jsonl', lines(asked));
    const [set] = await setsOf(join(root, 'asked'));
    expect(set).toMatchObject({ questions: 1, negatives: { questions: 1, quiet: 1 }, above_bm25: null });
    expect(set!.all).toMatchObject({ bm25: null, gbrain: { MRR: { value: 1 } } });
  });

  test('refuses what is no set, says why, and the fix names a folder that can be listed', async () => {
    const reasonOf = async (path: string) => {
      const reply = await run(path);
      return 'failure' in reply ? [reply.code, reply.failure?.reason, reply.failure?.fix?.argv?.[0]] : 'accepted';
    };
    expect(await reasonOf(join(root, 'absent.json'))).toEqual(['eval_dataset', 'missing', 'ls']);
    expect(await reasonOf(write('broken.json', '[{"qa": '))).toEqual(['eval_dataset', 'malformed', 'ls']);
    expect(await reasonOf(write('other.json', [{ name: 'x' }]))).toEqual(['eval_dataset', 'unknown_layout', 'ls']);
    expect(await reasonOf(write('half.json', [{ qa: [], conversation: { session_1: 3 } }]))).toEqual([
      'eval_dataset',
      'malformed',
      'ls',
    ]);
    mkdirSync(join(root, 'empty'), { recursive: true });
    expect(await reasonOf(join(root, 'empty'))).toEqual(['eval_dataset', 'unknown_layout', 'ls']);
  });

  test('takes sets as other tools write them: a mark at the head, CRLF, ids that are numbers, a heading', async () => {
    const mark = String.fromCharCode(0xfeff);
    const dos = (text: string) => `${mark}${text.replaceAll('\n', '\r\n')}`;
    write(
      'dos/corpus.jsonl',
      dos(
        `${lines([
          { _id: 1, text: 'lift of a wing' },
          { id: '2', title: 'drag' },
        ])}\n`,
      ),
    );
    write('dos/queries.jsonl', dos(lines([{ _id: 7, text: 'wing lift' }])));
    write('dos/qrels.tsv', dos('query-id\tcorpus-id\tscore\n7\t1\t1\n'));
    const [set] = await setsOf(join(root, 'dos'));
    expect(set).toMatchObject({ questions: 1, all: { gbrain: { MRR: { value: 1 } } } });
  });

  test('names the line that does not fit, and says when no question has an answer', async () => {
    const good = {
      corpus: lines([{ _id: 'd1', text: 'lift of a wing' }]),
      queries: lines([{ _id: 'q1', text: 'wing lift' }]),
      judged: 'q1\td1\t1\n',
    };
    let count = 0;
    const refusalOf = async (parts: Partial<typeof good>) => {
      const folder = `odd-${++count}`;
      const { corpus, queries, judged } = { ...good, ...parts };
      write(`${folder}/corpus.jsonl`, corpus);
      write(`${folder}/queries.jsonl`, queries);
      write(`${folder}/qrels.tsv`, judged);
      const reply = await run(join(root, folder));
      if (!('failure' in reply)) return 'accepted';
      const { reason, message, fix } = reply.failure!;
      return [reason, /\(.*\)/.exec(message!)?.[0] ?? '', fix?.argv?.slice(0, 3).join(' ')];
    };
    expect(await refusalOf({})).toBe('accepted');
    const second = (line: string) => ['malformed', `(${line} line 2)`, 'sed -n 2p'];
    expect(await refusalOf({ corpus: `${good.corpus}\n{"_id": oops` })).toEqual(second('corpus.jsonl'));
    expect(await refusalOf({ corpus: `${good.corpus}\n{"text": "no id"}` })).toEqual(second('corpus.jsonl'));
    expect(await refusalOf({ corpus: `${good.corpus}\n[1]` })).toEqual(second('corpus.jsonl'));
    expect(await refusalOf({ queries: `${good.queries}\n{"_id": "q2", "text": 5}` })).toEqual(second('queries.jsonl'));
    expect(await refusalOf({ judged: 'q1\td1\t1\nq1,d1,1\n' })).toEqual(second('qrels.tsv'));
    expect(await refusalOf({ judged: 'q1\td1\t1\nq1\td1\tgood\n' })).toEqual(second('qrels.tsv'));
    const none = ['no_questions', '', 'ls -la --'];
    expect(await refusalOf({ queries: '' })).toEqual(none);
    expect(await refusalOf({ judged: '' })).toEqual(none);
    expect(await refusalOf({ judged: 'q9\td1\t1\n' })).toEqual(none);
    expect(await refusalOf({ judged: 'q1\td9\t1\n' })).toEqual(none);
    const entry = { question_id: 'a', question: 'b', haystack_sessions: [[]], haystack_session_ids: ['s'] };
    const reply = await run(write('odd-memory.json', [{ ...entry, answer_session_ids: ['s'] }, entry]));
    expect('failure' in reply && reply.failure).toMatchObject({
      reason: 'malformed',
      message: expect.stringContaining('(question 2)'),
    });
  });
});
