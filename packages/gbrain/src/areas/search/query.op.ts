// query: the same ranking for a question, with every filter.
import { defineOperation } from '../../operation.ts';
import { type FactRow, factRowShape, factRows, toldRow } from '../facts/fact-rows.ts';
import { keepTold } from '../facts/recent-recalls.ts';
import { describeSearch } from './answer.ts';
import { askedLines, searchLines } from './human-rows.ts';
import { requireQuery } from './require-query.ts';
import { runSearch, type SearchRow } from './run-search.ts';
import { rowShape, SEARCH_SPEC } from './search-args.ts';

export default defineOperation({
  name: 'query',
  title: 'Query',
  summary: 'Finds pages for a question, then saved facts; like search, with every filter.',
  ...SEARCH_SPEC,
  output: (z) => z.array(z.union([factRowShape(z), rowShape(z)])),
  cli: {
    command: 'query',
    aliases: ['ask'],
    group: 'Search',
    isCommon: true,
    positionals: ['query'],
    joinRest: true,
    short: { limit: 'n' },
    human: (rows, view, input, meta) =>
      searchLines(rows as readonly (SearchRow | FactRow)[], askedLines(input, meta), view),
  },
  examples: [
    { title: 'Words', input: { query: 'renewal terms' } },
    { title: 'A question', input: { query: 'who works at acme', limit: 5 } },
  ],
  run: async (ctx, input) => {
    const query = requireQuery(ctx, 'query', input);
    const searched = await runSearch(ctx, query);
    const { rows, hasMore, limit, budgetTokens, usedTokens } = searched;
    const isNarrowed = query.types !== undefined || query.since !== undefined || query.until !== undefined;
    const isLast = !hasMore && !isNarrowed && (query.offset ?? 0) === 0;
    const room = { rows: isLast ? limit - rows.length : 0, tokens: budgetTokens - usedTokens };
    const facts = await factRows(ctx, query.query, room);
    describeSearch(ctx, 'query', query, { ...searched, factCount: facts.length });
    keepTold(ctx, [...facts.map(toldRow), ...rows.map(({ slug, chunk_text }) => ({ slug, text: chunk_text }))]);
    return [...rows, ...facts];
  },
});
