// search: pages for words, names, dates and relations, best first.
import { defineOperation } from '../../operation.ts';
import { describeSearch } from './answer.ts';
import { askedLines, searchLines } from './human-rows.ts';
import { requireQuery } from './require-query.ts';
import { runSearch } from './run-search.ts';
import { SEARCH_SPEC } from './search-args.ts';

export default defineOperation({
  name: 'search',
  title: 'Search',
  summary: 'Finds pages by words, names, dates and relations; rows say why they matched.',
  ...SEARCH_SPEC,
  cli: {
    command: 'search',
    aliases: [],
    group: 'Search',
    isCommon: true,
    positionals: ['query'],
    joinRest: true,
    short: { limit: 'n' },
    human: (rows, view, input, meta) => searchLines(rows, askedLines(input, meta), view),
  },
  examples: [
    { title: 'Words', input: { query: 'renewal terms' } },
    { title: 'A question', input: { query: 'who works at acme', limit: 5 } },
  ],
  run: async (ctx, input) => {
    const query = requireQuery(ctx, 'search', input);
    const searched = await runSearch(ctx, query);
    describeSearch(ctx, 'search', query, searched);
    return searched.rows;
  },
});
