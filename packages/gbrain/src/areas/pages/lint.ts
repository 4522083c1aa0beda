// Reads a page as a careful editor would and reports what it finds. Changes and refuses nothing, knows no operation.
import {
  checkArtifacts,
  checkBareUrls,
  checkLength,
  checkMarkers,
  checkTimeline,
  checkWikilinks,
  type Finding,
  type LineCheck,
  type LintLine,
  makeHeadingCheck,
  toProse,
} from './lint-checks.ts';
import { type Line, walkLines } from './markdown-lines.ts';
import type { Page } from './page.ts';
import { DEFAULT_SOURCE, parseTimeline } from './timeline.ts';

/** The `writer_lint` of a write. Counts are of all findings; `top_findings` are ten at most, errors first. */
export interface LintReport {
  error_count: number;
  warning_count: number;
  top_findings: Finding[];
  details_truncated: boolean;
  /** Number of findings by validator. */
  by_validator: Record<string, number>;
}

const MAX_FINDINGS = 10;

/** All findings of a page in one pass over its lines. Linear in its length. */
export function lintPage(page: Page): LintReport {
  const report = new Report();
  for (const { code, line, message } of page.warnings) {
    const hint = WARNING_HINTS[code];
    report.add({ validator: code, severity: code === 'unknown_visibility' ? 'error' : 'warning', line, message, hint });
  }
  checkHead(page, report);
  const claims = new ClaimCheck(page);
  const checks: LineCheck[] = [
    checkArtifacts,
    checkBareUrls,
    checkWikilinks,
    checkLength,
    checkTimeline,
    checkMarkers,
    makeHeadingCheck(),
    (line) => claims.take(line),
  ];
  for (const line of lintLines(page)) {
    for (const check of checks) check(line, (finding) => report.add({ ...finding, line: line.number }));
  }
  claims.finish(report);
  return report.finish();
}

const WARNING_HINTS: Readonly<Record<Page['warnings'][number]['code'], string>> = {
  frontmatter_repaired: 'Put the value in double quotes.',
  empty_frontmatter: 'Remove the block or give the page a title.',
  unknown_visibility: 'Write visibility: private, or leave the field out.',
  unusable_date: 'Write the date as YYYY-MM-DD.',
  fence_row: 'Give the row its number and one cell a column.',
  fence_head: 'Begin the table with its head and the rule under it.',
};

/** Keys that only frontmatter has, by which a block in the wrong place is known. */
const FRONTMATTER_LINE = /^(?:title|type|tags|slug|aliases|date|visibility)[ \t]*:/;

/** What concerns the page as a whole. */
function checkHead(page: Page, report: Report): void {
  if (page.titleSource === 'slug') {
    const message = `the page has no title: it is shown as ${page.title.slice(0, 80)}`;
    report.add({
      validator: 'missing_title',
      severity: 'warning',
      message,
      hint: 'Add a title field or a heading of level 1.',
    });
  }
  if (page.compiledTruth.trim() === '' && page.timeline.trim() === '') {
    report.add({
      validator: 'empty_body',
      severity: 'warning',
      message: 'the page has no text',
      hint: 'Write what it is about.',
    });
  }
  const place = page.hasFrontmatter ? undefined : misplacedFrontmatter(page.view);
  if (place !== undefined) {
    const message = 'these fields are read as text, because no --- opens the page on its first line';
    report.add({
      validator: 'missing_open',
      severity: 'error',
      line: place,
      message,
      hint: 'Make --- the very first line.',
    });
  }
}

/** Line of a block of fields at the head that lacks its opening fence, or has blank lines or a code fence before it. */
function misplacedFrontmatter(view: string): number | undefined {
  let fields = 0;
  let first = 0;
  for (const line of walkLines(view.slice(0, 4000))) {
    const text = line.text.trimEnd();
    if (line.number > 40) return undefined;
    if (FRONTMATTER_LINE.test(text)) {
      fields += 1;
      first ||= line.number;
    } else if (text === '---' && fields > 0) return first;
    else if (fields === 0 && text !== '' && text !== '---' && !/^```(?:ya?ml|markdown|md)?$/.test(text))
      return undefined;
    else if (fields > 0 && text !== '' && !/^(?:[ \t]*[-#]|[ \t]+\S|[\w-]+[ \t]*:)/.test(text)) return undefined;
  }
  return undefined;
}

function* lintLines(page: Page): Generator<LintLine> {
  const { fences, timelineRange } = page;
  for (const line of walkLines(page.view, page.bodyStart, page.bodyLine)) {
    const inFence = fences.some((fence) => line.start >= fence.start && line.start < fence.end);
    const inTimeline = timelineRange !== null && line.start >= timelineRange.start && line.start < timelineRange.end;
    const region = inFence ? 'fence' : inTimeline ? 'timeline' : 'body';
    yield { ...line, region, prose: toProse(line.text) };
  }
}

/** Fields that say where a page's statements come from. */
const SOURCE_FIELDS = ['source', 'sources', 'source_uri', 'url', 'derived_from', 'message_id', 'synthesized_by'];

/** Whether a page makes statements and names no source at all. */
class ClaimCheck {
  #claims = 0;
  #first: number | undefined;
  #sourced: boolean;

  constructor(page: Page) {
    const fields = SOURCE_FIELDS.some(
      (field) => page.frontmatter[field] !== undefined && page.frontmatter[field] !== null,
    );
    this.#sourced = fields || parseTimeline(page.timeline).some((entry) => entry.source !== DEFAULT_SOURCE);
  }

  take(line: LintLine): void {
    if (this.#sourced || line.region !== 'body' || (line.kind !== 'text' && line.kind !== 'quote')) return;
    if (/https?:\/\/|\[Source:|\[\^[^\]\n]{1,40}\]/i.test(line.prose)) this.#sourced = true;
    else if (isStatement(line)) {
      this.#claims += 1;
      this.#first ??= line.number;
    }
  }

  finish(report: Report): void {
    if (this.#sourced || this.#first === undefined) return;
    const count = this.#claims === 1 ? 'a statement' : `${this.#claims} statements`;
    const message = `the page makes ${count} and names no source`;
    const hint = 'Cite where it comes from: [Source: what, YYYY-MM-DD], a link, or a source field.';
    report.add({ validator: 'uncited_claims', severity: 'warning', line: this.#first, message, hint });
  }
}

/** A line that states something: five words or twelve CJK letters, no heading, table, task, question or lead-in. */
function isStatement(line: Line & { prose: string }): boolean {
  const text = line.prose.replace(/^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?/, '').trimEnd();
  if (line.kind !== 'text' || /^(?:#|\||\[[ xX]\]|!\[|<|[-=]{3})/.test(text) || /[?？:：]$/.test(text)) return false;
  const words = text.split(/\s+/, 6).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return (
    words >= 5 ||
    (text.slice(0, 200).match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0) >= 12
  );
}

class Report {
  readonly #errors: Finding[] = [];
  readonly #warnings: Finding[] = [];
  readonly #byValidator = new Map<string, number>();
  #errorCount = 0;
  #warningCount = 0;

  add(finding: Finding): void {
    this.#byValidator.set(finding.validator, (this.#byValidator.get(finding.validator) ?? 0) + 1);
    const list = finding.severity === 'error' ? this.#errors : this.#warnings;
    if (finding.severity === 'error') this.#errorCount += 1;
    else this.#warningCount += 1;
    if (list.length < MAX_FINDINGS) list.push(finding);
  }

  finish(): LintReport {
    return {
      error_count: this.#errorCount,
      warning_count: this.#warningCount,
      top_findings: [...this.#errors, ...this.#warnings].slice(0, MAX_FINDINGS),
      details_truncated: this.#errorCount + this.#warningCount > MAX_FINDINGS,
      by_validator: Object.fromEntries([...this.#byValidator].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}
