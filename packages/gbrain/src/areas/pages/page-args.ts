// Arguments that several page operations share, with the words that describe them to an agent. Short on purpose.

import type { Z } from '../../operation.ts';
import { field } from '../../schema.ts';
import { WAIT_MAX_MS } from '../writes/submit.ts';

/** The page's slug. */
export const slugArg = (z: Z) => z.string().describe('Page slug, e.g. people/alice-example');

/** Revision that a replacing write names. */
export const expectedArg = (z: Z) => z.string().describe('Revision that you read and now replace');

/** Says that the dated entries of the page go, which a text that leaves them out does not. */
export const dropTimelineArg = (z: Z) =>
  field(z.boolean().describe('Accept a text without the dated entries that the page has'), {
    fullOnly: true,
  }).optional();

/** Id of the request, for a safe repeat. */
export const requestArg = (z: Z) =>
  z.string().describe('Your id of this write; the same id and arguments again never write twice').optional();

/** Whether the text stays without vectors. */
export const noEmbedArg = (z: Z) =>
  field(z.boolean().describe('Make no vectors of it until `gbrain embed` is run'), { fullOnly: true }).optional();

/** How long to wait for the write. */
export const waitArg = (z: Z) =>
  field(z.number().int().min(0).max(WAIT_MAX_MS).describe('Milliseconds to wait for the commit'), {
    fullOnly: true,
  }).optional();

/** Who first said what is written. */
export const originArg = (z: Z) =>
  field(z.enum(['user_said', 'tool_output', 'inferred']).describe('Where the text comes from'), {
    fullOnly: true,
  }).optional();
