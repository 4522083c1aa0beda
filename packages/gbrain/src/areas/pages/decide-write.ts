// May this caller write this page now, and on top of what: the rules of revisions, tombstones and private pages. Pure.
import { raise } from '../../failure.ts';
import { mergedText, seenText } from './door.ts';
import { parsePage } from './page.ts';
import type { Change, StoredPage } from './page-write.ts';
import type { Slug } from './slug.ts';
import { parseTimeline } from './timeline.ts';

/** Who asks, for which page. */
export interface Asker {
  isOwner: boolean;
  source: string;
  slug: string;
}

/** Raises `permission_denied` for a page that this caller cannot see: writing would replace what it may not read. */
export function refuseHidden(page: StoredPage | undefined, asker: Asker): void {
  if (!page?.isPrivate || asker.isOwner) return;
  const { slug, source } = asker;
  raise('permission_denied', { what: `Writing ${slug}`, slug, source, reason: 'trusted_cli_required' });
}

/** Raises `revision_conflict` unless the page stands at the revision that was named. */
export function refuseOther(page: StoredPage, expected: string): void {
  if (page.revision === expected.toLowerCase()) return;
  const { slug, revision } = page;
  raise('revision_conflict', { slug, revision, detail: `current_revision=${revision}` });
}

/** The live page that an operation changes. Raises `page_not_found`, `permission_denied` or `revision_conflict`. */
export function requireLive(page: StoredPage | undefined, asker: Asker, expected?: string): StoredPage {
  refuseHidden(page, asker);
  if (!page || page.isDeleted) raise('page_not_found', { slug: asker.slug, source: asker.source });
  if (expected !== undefined) refuseOther(page, expected);
  return page;
}

/** A whole-page write as it was asked for. */
export interface PutAsk extends Asker {
  content: string;
  expected?: string;
  force: boolean;
  allowEmpty: boolean;
  /** The writer says that the page's dated entries go. */
  dropTimeline: boolean;
}

/**
 * What a whole-page write does. Without a revision it only creates; text that says what the page says already changes
 * nothing; a deleted page comes back when nothing but its tombstone stood there or its revision was named.
 */
export function decidePut(page: StoredPage | undefined, ask: PutAsk): Change {
  refuseHidden(page, ask);
  if (page && !page.isDeleted) return decideReplace(page, ask);
  refuseEmpty(ask);
  if (ask.expected !== undefined) {
    const { slug, source } = ask;
    if (!page) raise('page_not_found', { slug, source });
    if (page.revision !== ask.expected.toLowerCase()) raise('page_identity_changed', { slug, revision: page.revision });
  }
  return { kind: 'put', text: mergedText(page?.text, ask.content, ask) };
}

function decideReplace(page: StoredPage, ask: PutAsk): Change {
  if (ask.expected !== undefined) refuseOther(page, ask.expected);
  if (seenText(page.text, ask.isOwner) === ask.content) return { kind: 'none' };
  const text = mergedText(page.text, ask.content, ask);
  if (text === page.text) return { kind: 'none' };
  if (ask.expected === undefined && !ask.force) {
    const { slug, revision } = page;
    raise('revision_required', { slug, revision, detail: `current_revision=${revision}` });
  }
  refuseEmpty(ask);
  refuseLostTimeline(page, text, ask);
  return { kind: 'put', text };
}

/** A section that is there and empty says that its entries go; one that is missing may only have been left out. */
const TIMELINE_HEADING = /^## (?:Timeline|History)[ \t]*\r?$/m;

/** Raises `timeline_rows_would_be_removed`. Source: facts/engine A.10. */
function refuseLostTimeline(page: StoredPage, text: string, ask: PutAsk): void {
  if (ask.isOwner || ask.dropTimeline) return;
  const at = { slug: page.slug as Slug };
  const [before, after] = [parsePage(page.text, at), parsePage(text, at)];
  // A text that is no page is refused for that.
  if (!before.ok || !after.ok || before.page.timelineRange === null || after.page.timelineRange !== null) return;
  const rows = parseTimeline(before.page.timeline, before.page.timelineLine).length;
  if (rows === 0 || TIMELINE_HEADING.test(after.page.view)) return;
  raise('timeline_rows_would_be_removed', { slug: page.slug, revision: page.revision, rows });
}

function refuseEmpty(ask: PutAsk): void {
  if (ask.allowEmpty || ask.content.replace(/^\ufeff/, '').trim() !== '') return;
  raise('content_rejected', { slug: ask.slug, reason: 'empty' });
}
