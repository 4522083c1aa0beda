// The single checks of a page's lines: what a careful editor would mark. Each looks at one line and is linear in it.
import type { Line } from './markdown-lines.ts';
import { parseSlug } from './slug.ts';
import { parseTimelineBullet } from './timeline.ts';

/** How bad a finding is: an `error` breaks something that reads the page, a `warning` is poor writing. */
export type Severity = 'error' | 'warning';

/** One finding. `line` counts in the view; findings of the whole page have none. */
export interface Finding {
  validator: string;
  severity: Severity;
  line?: number;
  message: string;
  hint: string;
}

/** A line with what is known of its place. `prose` is its text with code spans blanked, at most 10,000 characters. */
export interface LintLine extends Line {
  prose: string;
  region: 'body' | 'timeline' | 'fence';
}

/** Looks at a line and reports what it finds. */
export type LineCheck = (line: LintLine, report: (finding: Omit<Finding, 'line'>) => void) => void;

/** Longest line, in UTF-16 units, that is not remarked on. */
export const MAX_LINE_LENGTH = 2000;
const CHECKED_LENGTH = 10_000;

/** What a model says to its user. */
const ASSISTANT_SPEECH = anyOf(
  /\bas an? (?:AI|artificial intelligence|large language model)\b/,
  /\bmy (?:knowledge cutoff|training data)\b/,
  /\bI (?:can(?:no|')t|am unable to) (?:browse|access (?:the internet|real-time))/,
  /^(?:certainly|sure|of course)[!,.] here(?:'s| is| are)\b/,
  /\bI hope this helps\b/,
  /\blet me know if you(?:'d| would| need| have)\b/,
);
/** Marks that leak from a model's interface. */
const LEAKED_MARK = anyOf(
  /<\|(?:im_start|im_end|endoftext|system|user|assistant)\|>/,
  /<\/?thinking>/,
  /:contentReference\[|\boaicite\b/,
  /\bturn\d{1,3}(?:search|view)\d{1,3}\b/,
);
/** What a template asks to be filled in. A link whose text begins alike is none. */
const PLACEHOLDER = anyOf(
  /\[(?:insert|your|add|enter|todo|tbd|placeholder|company name|xx)\b[^[\]\n]{0,80}\](?!\()/,
  /\[(?:name|date|link) here\](?!\()/,
  /\{\{[^{}\n]{1,80}\}\}/,
  /\blorem ipsum\b/,
);
const BARE_URL = /https?:\/\/[^\s<>()[\]"'`|]{1,2000}/g;

/** Leftovers of a model's own voice, its interface, or a template. */
export const checkArtifacts: LineCheck = ({ kind, prose }, report) => {
  if (kind !== 'text') return;
  if (LEAKED_MARK.test(prose)) {
    const message = 'a control mark of a model or its interface is in the text';
    report({ validator: 'llm_artifact', severity: 'error', message, hint: 'Remove the mark.' });
  } else if (ASSISTANT_SPEECH.test(prose)) {
    const message = 'this reads like an assistant speaking to its user';
    report({
      validator: 'llm_artifact',
      severity: 'warning',
      message,
      hint: 'Keep what the page is about, drop the rest.',
    });
  }
  if (PLACEHOLDER.test(prose)) {
    const message = 'a placeholder of a template was not filled in';
    report({ validator: 'placeholder', severity: 'warning', message, hint: 'Fill it in or remove the line.' });
  }
};

/** Addresses outside links, angle brackets and attributes. */
export const checkBareUrls: LineCheck = ({ kind, prose }, report) => {
  if (kind !== 'text' || !prose.includes('://')) return;
  for (const match of prose.matchAll(BARE_URL)) {
    const before = prose.charAt(match.index - 1);
    if (before === '<' || before === '"' || before === "'" || before === '[') continue;
    if (before === '(' && prose.charAt(match.index - 2) === ']') continue;
    if (/^ {0,3}\[[^\]\n]{1,200}\]:[ \t]/.test(prose)) continue;
    const message = `the address ${match[0].slice(0, 80)} stands alone`;
    report({ validator: 'bare_url', severity: 'warning', message, hint: 'Give it a name: [what it is](address).' });
    return;
  }
};

/** Double brackets that are not closed, are empty, nest, or name what no page can be called. */
export const checkWikilinks: LineCheck = ({ kind, prose }, report) => {
  if (kind !== 'text' && kind !== 'quote') return;
  for (let open = prose.indexOf('[['); open >= 0; ) {
    const close = prose.indexOf(']]', open + 2);
    const next = prose.indexOf('[[', open + 2);
    const flaw = describeWikilink(prose, open, close, next);
    if (flaw !== undefined) {
      report({
        validator: 'wikilink',
        severity: 'warning',
        message: flaw,
        hint: 'Write [[folder/page]] or [[folder/page|Name]].',
      });
      return;
    }
    open = next;
  }
};

function describeWikilink(text: string, open: number, close: number, next: number): string | undefined {
  if (close < 0 || (next >= 0 && next < close)) return 'a wikilink is opened and not closed';
  const [target = '', ...names] = text.slice(open + 2, close).split(/\\?\|/);
  const [page = ''] = target.split('#');
  if (page.trim() === '' && !target.includes('#')) return 'a wikilink names no page';
  if (names.length > 0 && names.join('').trim() === '') return 'a wikilink has an empty name';
  const name = page.slice(page.indexOf(':') + 1).replace(/^(?:\.\.?\/)+/, '');
  if (page.trim() === '') return undefined;
  return parseSlug(name).ok ? undefined : `no page can be called ${page.trim().slice(0, 80)}`;
}

/** Lines that no diff and no reader handles well. */
export const checkLength: LineCheck = ({ kind, start, end }, report) => {
  if (kind === 'code' || end - start <= MAX_LINE_LENGTH) return;
  const message = `this line has ${end - start} characters`;
  report({ validator: 'long_line', severity: 'warning', message, hint: 'Break it into paragraphs.' });
};

/** List items of the timeline, and dated lines, that are no entry. */
export const checkTimeline: LineCheck = ({ kind, region, text }, report) => {
  if (region !== 'timeline' || kind !== 'text' || text.length > CHECKED_LENGTH) return;
  if (!/^ ?(?:[-*+][ \t]|\*\*\d{4})/.test(text) || parseTimelineBullet(text) !== undefined) return;
  const message = 'this line of the timeline is not a dated entry';
  const hint = 'Write - **YYYY-MM-DD** | source — summary, with further lines indented.';
  report({ validator: 'timeline_bullet', severity: 'warning', message, hint });
};

/** What was meant to be the timeline marker and is none. */
export const checkMarkers: LineCheck = ({ kind, region, text }, report) => {
  if (region !== 'body' || (kind !== 'comment' && kind !== 'text') || text.length > 60) return;
  const bare = text.trim();
  const near = /^(?:<!-{2,3}\s{0,3}timeline\s{0,3}-{2,3}>|-{2,4}\s{0,3}timeline\s{0,3}-{2,4})$/i.test(bare);
  if (!near || bare === '<!-- timeline -->' || bare === '--- timeline ---') return;
  const message = 'this is almost the timeline marker: what follows is read as body';
  report({
    validator: 'timeline_marker',
    severity: 'error',
    message,
    hint: 'Write <!-- timeline --> on a line of its own.',
  });
};

/** Order of headings: one of level 1, none empty, no level skipped on the way down. Keeps state, so made per page. */
export function makeHeadingCheck(): LineCheck {
  let level = 0;
  let tops = 0;
  return ({ kind, region, text }, report) => {
    const match = kind === 'text' && region === 'body' ? /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(text) : null;
    const depth = match?.[1]?.length ?? 0;
    if (match === null || depth === 0) return;
    const say = (message: string, hint: string): void =>
      report({ validator: 'heading_structure', severity: 'warning', message, hint });
    if (text.slice(match[0].length, CHECKED_LENGTH).replaceAll('#', '').trim() === '')
      say('a heading has no text', 'Name the section or remove the heading.');
    else if (depth === 1 && tops > 0) say('a page has one heading of level 1', 'Use ## for sections.');
    else if (level > 0 && depth > level + 1)
      say(`level ${depth} follows level ${level}`, `Use ${'#'.repeat(level + 1)} here.`);
    if (depth === 1) tops += 1;
    level = depth;
  };
}

function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map((pattern) => pattern.source).join('|'), 'i');
}

/** The first 10,000 characters of a line with its code spans blanked, so that offsets stay. Linear. */
export function toProse(text: string): string {
  const head = text.slice(0, CHECKED_LENGTH);
  if (!head.includes('`')) return head;
  const runs = [...head.matchAll(/`+/g)];
  const byLength = new Map<number, number[]>();
  for (const [index, run] of runs.entries()) {
    const same = byLength.get(run[0].length) ?? [];
    byLength.set(run[0].length, same);
    same.push(index);
  }
  let prose = '';
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    const same = byLength.get(run?.[0].length ?? 0) ?? [];
    while ((same[0] ?? Number.POSITIVE_INFINITY) <= index) same.shift();
    const close = same[0] === undefined ? undefined : runs[same[0]];
    if (run === undefined || close === undefined) continue;
    const end = close.index + close[0].length;
    prose += head.slice(from, run.index) + ' '.repeat(end - run.index);
    from = end;
    index = same[0] ?? index;
  }
  return prose + head.slice(from);
}
