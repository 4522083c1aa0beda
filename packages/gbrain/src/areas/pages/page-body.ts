// Splits a page's body into compiled truth and timeline by reserved markers only, and finds its first heading. Pure.
import { indentOf, type Line, walkLines } from './markdown-lines.ts';
import type { Range } from './text-edge.ts';
import { parseTimelineBullet } from './timeline.ts';

/** What set the timeline apart: `<!-- timeline -->`, `--- timeline ---`, or a section of dated bullets only. */
export type TimelineMarker = 'comment' | 'dashes' | 'section';

/** `range` (offsets of the view) is what left the body: the timeline with its marker, heading or rule. */
export interface BodyParts {
  compiledTruth: string;
  timeline: string;
  timelineLine: number;
  marker: TimelineMarker | null;
  range: Range | null;
  /** Text of the first heading of level 1 outside code, quotes and comments, as written. */
  heading: string | undefined;
}

const MARKERS: ReadonlyMap<string, TimelineMarker> = new Map([
  ['<!-- timeline -->', 'comment'],
  ['--- timeline ---', 'dashes'],
]);
const SECTION_HEADING = /^## (?:Timeline|History)$/;

/**
 * Splits the body that begins at the offset `from` of a view, in line `number`. Everything below the first marker line
 * is timeline. Without one, a section under `## Timeline` or `## History` is, when it has nothing but dated bullets
 * with their indented detail and follows other text or a `---`; what comes after it stays. A lone `---` is no marker.
 */
export function splitBody(view: string, from: number, number: number): BodyParts {
  const scan = new BodyScan(view);
  for (const line of walkLines(view, from, number)) if (scan.take(line)) break;
  const found = scan.finish();
  const heading = scan.heading;
  if (found === null) {
    return { compiledTruth: view.slice(from), timeline: '', timelineLine: number, marker: null, range: null, heading };
  }
  const { start, end, textStart, line, marker } = found;
  const compiledTruth = view.slice(from, start) + view.slice(end);
  return {
    compiledTruth,
    timeline: view.slice(textStart, end),
    timelineLine: line,
    marker,
    range: { start, end },
    heading,
  };
}

interface FoundTimeline extends Range {
  textStart: number;
  line: number;
  marker: TimelineMarker;
}

interface OpenSection {
  start: number;
  textStart: number;
  line: number;
  bullets: number;
}

class BodyScan {
  heading: string | undefined;
  readonly #view: string;
  #found: FoundTimeline | null = null;
  #section: OpenSection | undefined;
  #rule: number | undefined;
  #hasText = false;
  /** The first and the latest line of the paragraph at hand. */
  #paragraph: string[] = [];

  constructor(view: string) {
    this.#view = view;
  }

  /** True once nothing further matters. */
  take(line: Line): boolean {
    const plain = line.kind === 'text' || (line.kind === 'comment' && line.part === 'open');
    const marker = plain ? MARKERS.get(line.text.trimEnd()) : undefined;
    if (marker !== undefined) {
      this.#found = { start: line.start, end: this.#view.length, textStart: line.next, line: line.number + 1, marker };
      return true;
    }
    if (this.#section !== undefined) this.#takeSectionLine(this.#section, line);
    if (this.#section === undefined && this.#found === null) this.#openSection(line);
    this.#takeHeading(line);
    if (line.kind !== 'blank') {
      this.#rule = line.kind === 'text' && line.text.trimEnd() === '---' ? line.start : undefined;
      this.#hasText = true;
    }
    return false;
  }

  finish(): FoundTimeline | null {
    if (this.#section !== undefined) this.#closeSection(this.#section, this.#view.length);
    return this.#found;
  }

  #openSection(line: Line): void {
    if (line.kind !== 'text' || !SECTION_HEADING.test(line.text.trimEnd())) return;
    if (!this.#hasText) return;
    this.#section = { start: this.#rule ?? line.start, textStart: line.next, line: line.number + 1, bullets: 0 };
  }

  #takeSectionLine(section: OpenSection, line: Line): void {
    if (line.kind === 'blank') return;
    if (line.kind === 'text' && parseTimelineBullet(line.text) !== undefined) section.bullets += 1;
    else if (line.kind === 'comment' || (line.kind === 'text' && /^##?[ \t]/.test(line.text))) {
      this.#closeSection(section, line.start);
    } else if (section.bullets === 0 || indentOf(line.text) < 2) this.#section = undefined;
  }

  #closeSection(section: OpenSection, end: number): void {
    if (section.bullets > 0) {
      this.#found = { start: section.start, end, textStart: section.textStart, line: section.line, marker: 'section' };
    }
    this.#section = undefined;
  }

  /** `# heading`, or a line of its own underlined with `=`. */
  #takeHeading(line: Line): void {
    if (this.heading !== undefined) return;
    const text = line.kind === 'text' && indentOf(line.text) <= 3 ? line.text.trim() : '';
    if (/^#(?:[ \t]|$)/.test(text)) this.heading = headingText(text);
    else if (this.#paragraph.length === 1 && /^=+$/.test(text)) this.heading = this.#paragraph[0];
    const continues = text !== '' && !/^(?:#|[-*+>|]|\d+[.)])/.test(text);
    this.#paragraph = continues ? [...this.#paragraph.slice(0, 1), text] : [];
  }
}

/** Text of `# heading ##`; undefined for an empty one. */
function headingText(text: string): string | undefined {
  const bare = text.slice(1).trim();
  const open = trimHashes(bare);
  const closed = open !== bare && (open === '' || /[ \t]$/.test(open));
  return (closed ? open.trimEnd() : bare) || undefined;
}

function trimHashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === '#') end -= 1;
  return text.slice(0, end);
}
