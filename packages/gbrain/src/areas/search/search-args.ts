// Arguments and row shapes that the search operations share. Short descriptions: every agent pays for them.
import type { Z } from '../../operation.ts';
import { field } from '../../schema.ts';
import { trustShape } from '../pages/trust-marks.ts';
import { RETURN_UNITS } from './evidence.ts';

/** What to look for. */
export const queryArg = (z: Z) => z.string().describe('Words, a name, a question or an exact phrase');

/** Arguments of `search` and `query` alike. */
export const searchShape = (z: Z) => ({
  query: queryArg(z),
  limit: field(z.number().int().min(1).max(100).describe('Most rows (by search.mode when left out)'), {
    clamp: true,
    example: 10,
  }).optional(),
  offset: field(z.number().int().min(0).max(1000).describe('Rows to skip'), { clamp: true }).optional(),
  types: z.array(z.string()).describe('Only these page types').optional(),
  since: field(z.string().describe('Only pages dated on or after this day'), { fullOnly: true }).optional(),
  until: field(z.string().describe('Only pages dated on or before this day'), { fullOnly: true }).optional(),
  snippet_chars: field(z.number().int().min(0).max(20_000).describe('Longest text of a row; 0 is the whole chunk'), {
    clamp: true,
    fullOnly: true,
  }).optional(),
  return_unit: field(z.enum(RETURN_UNITS).describe('How much of each page, within the budget (default an excerpt)'), {
    fullOnly: true,
  }).optional(),
  return_window: field(z.number().int().min(1).max(3).describe('Chunks on each side of a window'), {
    fullOnly: true,
    clamp: true,
  }).optional(),
  token_budget: field(z.number().int().min(200).max(32_000).describe('Tokens of text that the reply may hold'), {
    clamp: true,
  }).optional(),
  fields: z.enum(['lean', 'full']).describe('full adds the ranking of each row').optional(),
  mode: field(
    z.enum(['conservative', 'balanced', 'tokenmax']).describe('Search mode of this call; over MCP never a larger one'),
    {
      fullOnly: true,
    },
  ).optional(),
  explain: field(z.boolean().describe('Show what each stage of the ranking did'), { fullOnly: true }).optional(),
});

/** A row on the wire. Source: mcp-access, lean rows. */
export const rowShape = (z: Z) =>
  z.looseObject({
    slug: z.string(),
    title: z.string(),
    type: z.string(),
    chunk_text: z.string(),
    score: z.number(),
    effective_date: z.string().nullable(),
    source_id: z.string(),
    chunk_id: z.number(),
    evidence: z.string(),
    create_safety: z.string(),
    ...trustShape(z),
  });

/** What `search` and `query` have in common beside their words. */
export const SEARCH_SPEC = {
  requirement: 'facts/contract G.7, H',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: searchShape,
  output: (z: Z) => z.array(rowShape(z)),
  errors: ['unknown_source'],
  notices: [
    'index_rebuilt',
    'empty_retrieval',
    'degraded_recall',
    'held_files',
    'weak_retrieval',
    'listing_truncated',
    'param_clamped',
  ],
} as const;
