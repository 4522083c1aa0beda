// eval_run: how well search finds on a test set whose answers are known, beside plain BM25 over the same texts.
import type { Context } from '../../context.ts';
import { lazyWords, searchLanguage } from '../../home/words-file.ts';
import { openStemmer } from '../../index/stemming.ts';
import { defineOperation, type Z } from '../../operation.ts';
import { field } from '../../schema.ts';
import type { Question } from './dataset.ts';
import { type EvalReport, evaluate, type Judged, judge, reportOf } from './evaluate.ts';
import { sampleOf } from './metrics.ts';
import { openDataset } from './open-dataset.ts';
import { reportLines } from './report-lines.ts';

/** A large set takes as long as it needs; the caller can cut it off. */
const DEADLINE_MS = 6 * 60 * 60_000;
/** Ranks that are read of each answer of the open brain. */
const DEPTH = 40;
const SEED = 1;

interface Input {
  dataset: string;
  sample?: number | undefined;
  seed?: number | undefined;
}

/** One question asked of the open brain. */
async function askBrain(ctx: Context<string>, question: Question): Promise<Judged> {
  const args = { query: question.text, limit: DEPTH, token_budget: 32_000, snippet_chars: 1 };
  if (!ctx.callBrain) ctx.fail('eval_refused', { code: 'no_brain' });
  const outcome = await ctx.callBrain({ op: 'search', args, source: ctx.target.source, brain: ctx.target.brain });
  if (outcome.kind === 'failed') ctx.fail('eval_refused', { code: outcome.failure.code });
  const retrieval = outcome.meta.retrieval as { confidence: Judged['found']['confidence'] };
  const keys = (outcome.output as { slug: string }[]).map((row) => row.slug);
  return judge(question, { keys, confidence: retrieval.confidence });
}

async function evaluateBrain(
  ctx: Context<string>,
  name: string,
  questions: readonly Question[],
  input: Input,
): Promise<EvalReport> {
  const seed = input.seed ?? SEED;
  const chosen = sampleOf(questions, input.sample ?? questions.length, seed);
  const judged: Judged[] = [];
  for (const question of chosen) {
    ctx.signal.throwIfAborted();
    judged.push(await askBrain(ctx, question));
    ctx.progress({ what: name, done: judged.length, total: chosen.length });
  }
  return reportOf({ name, grain: 'page' }, judged, seed);
}

async function runEval(ctx: Context<string>, input: Input): Promise<EvalReport[]> {
  const opened = openDataset(input.dataset);
  if (opened.kind === 'brain') return [await evaluateBrain(ctx, opened.name, opened.questions, input)];
  const language = searchLanguage(ctx.host.env);
  const stemmer = await openStemmer(language);
  const reports: EvalReport[] = [];
  for (const set of opened.sets) {
    const report = await evaluate(set, {
      stemmer,
      words: lazyWords(language),
      sample: input.sample,
      seed: input.seed ?? SEED,
      signal: ctx.signal,
      progress: (done, total) => ctx.progress({ what: set.name, done, total }),
    });
    reports.push(report);
  }
  return reports;
}

const figures = (z: Z) => z.record(z.string(), z.number());
const intervals = (z: Z) => z.record(z.string(), z.object({ value: z.number(), low: z.number(), high: z.number() }));
const category = (z: Z) =>
  z.object({ kind: z.string(), questions: z.number(), gbrain: intervals(z), bm25: figures(z).nullable() });

export default defineOperation({
  name: 'eval_run',
  title: 'Evaluate search',
  summary: 'Measures search on a test set with known answers, beside plain BM25.',
  requirement: 'facts/engine G.5; docs/search',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: true,
  mutating: false,
  idempotent: true,
  localOnly: true,
  deadlineMs: DEADLINE_MS,
  input: (z) => ({
    dataset: z.string().min(1).describe('LoCoMo or LongMemEval file, folder of BEAM chats, or folder of qrels'),
    sample: field(z.number().int().min(1).max(1_000_000).describe('Questions taken, chosen by the seed'), {
      example: 100,
    }).optional(),
    seed: z.number().int().min(0).max(4_294_967_295).describe('Seed of every choice by chance (1)').optional(),
  }),
  output: (z) =>
    z.object({
      dataset: z.string(),
      seed: z.number(),
      sets: z.array(
        z.object({
          name: z.string(),
          grain: z.enum(['page', 'chunk']),
          questions: z.number(),
          all: category(z),
          categories: z.array(category(z)),
          above_bm25: intervals(z).nullable(),
          negatives: z.object({ questions: z.number(), quiet: z.number() }),
          called_weak: z.number(),
        }),
      ),
    }),
  errors: ['eval_dataset', 'eval_refused'],
  cli: {
    command: 'eval run',
    group: 'Search',
    positionals: ['dataset'],
    paths: ['dataset'],
    human: ({ sets, seed }, view) => reportLines(sets, seed, view),
  },
  examples: [
    { title: 'Conversations', input: { dataset: '/home/alice-example/locomo10.json' } },
    { title: 'A hundred questions of a folder', input: { dataset: '/home/alice-example/scifact', sample: 100 } },
  ],
  run: async (ctx, input) => ({
    dataset: input.dataset,
    seed: input.seed ?? SEED,
    sets: (await runEval(ctx, input)).map(({ above, calledWeak, categories, ...report }) => ({
      ...report,
      categories: [...categories],
      above_bm25: above,
      called_weak: calledWeak,
    })),
  }),
});
