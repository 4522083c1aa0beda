// The body of a page as everything reads it that others can see: hidden fence rows left out, scanned once a page.
import { hiddenRanges } from '../pages/fences.ts';
import type { Page } from '../pages/page.ts';
import { bodyOfPage, scanBody } from './body.ts';

type ScannedBody = ReturnType<typeof scanBody>;

const scanned = new WeakMap<Page, ScannedBody>();

/** The scanned body of a page; chunks and links of one page share it. */
export function scanPage(page: Page): ScannedBody {
  const known = scanned.get(page);
  if (known) return known;
  const body = scanBody(bodyOfPage(page, hiddenRanges(page.view, 'world')));
  scanned.set(page, body);
  return body;
}
