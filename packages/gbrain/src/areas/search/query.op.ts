// query: the same ranking for a question, with every filter.
import { defineOperation } from '../../operation.ts';
import { describeSearch } from './answer.ts';
import { searchLines } from './human-rows.ts';
import { requireQuery } from './require-query.ts';
import { runSearch } from './run-search.ts';
import { SEARCH_SPEC } from './search-args.ts';

export default defineOperation({
  name: 'query',
  title: 'Query',
  summary: 'Finds pages for a question; like search, with every filter.',
  ...SEARCH_SPEC,
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
