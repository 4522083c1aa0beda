// query: the same ranking for a question, with every filter.
import { defineOperation } from '../../operation.ts';
import { describeSearch } from './answer.ts';
import { searchLines } from './human-rows.ts';
import { requireQuery } from './require-query.ts';
import { runSearch } from './run-search.ts';
import { rowShape, searchShape } from './search-args.ts';

export default defineOperation({
  name: 'query',
  title: 'Query',
  summary: 'Finds pages for a question; like search, with every filter.',
  requirement: 'facts/contract G.7, H',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: searchShape,
  output: (z) => z.array(rowShape(z)),
  errors: ['unknown_source'],
  notices: ['empty_retrieval', 'degraded_recall', 'weak_retrieval', 'listing_truncated', 'param_clamped'],
  cli: {
    command: 'query',
    aliases: ['ask'],
    group: 'Search',
    isCommon: true,
    positionals: ['query'],
    joinRest: true,
    short: { limit: 'n' },
    human: (rows, view, input) => searchLines(rows, String(input.query ?? ''), view),
  },
  examples: [
    { title: 'Words', input: { query: 'renewal terms' } },
    { title: 'A question', input: { query: 'who works at acme', limit: 5 } },
  ],
  run: async (ctx, input) => {
    const query = requireQuery(ctx, 'query', input);
    const searched = await runSearch(ctx, query);
    describeSearch(ctx, 'query', query, searched);
    return searched.rows;
  },
});
