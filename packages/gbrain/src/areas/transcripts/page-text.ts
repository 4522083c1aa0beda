// A conversation as pages: frontmatter that says where it came from, and a heading for each turn that says who speaks
// and when. Whatever a turn holds stays inside it: no line of it opens a turn, a fence, a timeline or markup. Pure.
import { createHash } from 'node:crypto';
import { bodyOfPage, scanBody } from '../chunks/body.ts';
import { chunkBody } from '../chunks/chunk.ts';
import { type Line, scanLines } from '../chunks/lines.ts';
import { opensTurn } from '../chunks/turns.ts';
import { parseFences } from '../pages/fences.ts';
import { parsePage } from '../pages/page.ts';
import { parseSlug, type Slug } from '../pages/slug.ts';
import type { SecretDetector } from '../secrets/detector.ts';
import type { Conversation, SaidTurn } from './conversation.ts';

/** A page holds at most so many characters of turns; a longer conversation goes on in a further page. */
const PAGE_CHARACTERS = 400_000;

/** A turn longer than this goes on in another turn of the same speaker. */
const TURN_CHARACTERS = 100_000;
const TITLE_MAX = 80;

/** One page of a conversation. */
export interface TranscriptPage {
  slug: Slug;
  text: string;
  /** Turns of the conversation up to the end of this page. */
  turns: number;
}

/** The pages of one conversation and what was struck out of them. */
export interface TranscriptPages {
  pages: TranscriptPage[];
  redacted: number;
}

const NAMES = { user: 'User', assistant: 'Assistant' } as const;

const headingOf = ({ role, at }: SaidTurn): string =>
  `## ${NAMES[role]}${at === undefined ? '' : ` (${at.slice(0, 19).replace('T', ' ')})`}`;

/** Timeline headings of a page; inside a turn they are only headings. */
const TIMELINE_HEADING = /^(?:Timeline|History)\s*$/;

/** A heading that would open a turn or a timeline keeps its words, in emphasis. */
const plainHeading = (content: string): string => `_${content.trim()}_`;

function safeLine(text: string, line: Line): string {
  const raw = text.slice(line.start, line.end);
  const lead = text.slice(line.start, line.contentStart);
  const content = text.slice(line.contentStart, line.end);
  if (line.kind === 'heading' && (opensTurn(content) || TIMELINE_HEADING.test(content)))
    return lead + plainHeading(content);
  if (line.kind.startsWith('fence') || line.kind === 'code') return raw;
  if (content.startsWith('<')) return `${lead}\\${content}`;
  return /^--- timeline ---\s*$/.test(content) ? `${lead}\\${content}` : raw;
}

const fenceMark = (text: string): string => /^[`~]+/.exec(text)?.[0] ?? '```';

/** The text with what would reach beyond its turn made plain, and an open code block closed. */
function insideTurn(text: string): string {
  // Escaping a line can change what the next ones are, so it is done until nothing changes; each pass escapes more.
  let safe = text;
  for (let pass = 0; pass < 8; pass++) {
    const { lines } = scanLines(safe);
    const next = lines.map((line) => safeLine(safe, line)).join('\n');
    if (next === safe) break;
    safe = next;
  }
  const { lines } = scanLines(safe);
  const open = lines.findLastIndex(({ kind }) => kind === 'fence_open');
  const isClosed = open === -1 || lines.slice(open).some(({ kind }) => kind === 'fence_close');
  if (isClosed || !lines.slice(open + 1).every(({ kind }) => kind === 'fence_body')) return safe;
  const { start, contentStart, end } = lines[open]!;
  const margin = safe.slice(start, contentStart).replace(/[^>\s]/g, ' ');
  return `${safe}\n${margin}${fenceMark(safe.slice(contentStart, end))}`;
}

/** Every mark of structure escaped: for a text whose structure cannot be kept inside its turn otherwise. */
const flat = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^([^\p{L}\p{N}\s])/u, '\\$1')
        .replace(/^(\d+)([.)])/, '$1\\$2'),
    )
    .join('\n');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Cuts a turn that is too long where a line ends, and never inside a code point. */
function cutTurn(turn: SaidTurn): SaidTurn[] {
  const turns: SaidTurn[] = [];
  let rest = turn.text;
  while (rest.length > TURN_CHARACTERS) {
    const line = rest.lastIndexOf('\n', TURN_CHARACTERS);
    let at = line > TURN_CHARACTERS / 2 ? line : TURN_CHARACTERS;
    if (!rest.slice(0, at).isWellFormed()) at -= 1;
    turns.push({ ...turn, text: rest.slice(0, at) });
    rest = rest.slice(at).trimStart();
  }
  return rest === '' ? turns : [...turns, { ...turn, text: rest }];
}

/** NUL characters and lone surrogates are no text that a page may hold. */
const pageSafe = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\uFFFD').replace(/\r\n?/g, '\n');

interface Piece {
  turn: SaidTurn;
  /** Number of the turn that it belongs to, from 1. */
  number: number;
}

function pageGroups(turns: readonly SaidTurn[]): Piece[][] {
  const groups: Piece[][] = [];
  let size = Number.POSITIVE_INFINITY;
  turns.forEach((whole, index) => {
    for (const turn of cutTurn(whole)) {
      if (size + turn.text.length > PAGE_CHARACTERS) {
        groups.push([]);
        size = 0;
      }
      groups.at(-1)!.push({ turn, number: index + 1 });
      size += turn.text.length;
    }
  });
  return groups;
}

function titleOf({ title, turns }: Conversation): string {
  const words = (title ?? turns.find(({ role }) => role === 'user')?.text ?? turns[0]?.text ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length <= TITLE_MAX
    ? words
    : `${words
        .slice(0, TITLE_MAX)
        .replace(/\s+\S*$/, '')
        .toWellFormed()}…`;
}

/** What a page says about itself, one line a field, in JSON's spelling, which is YAML too. */
const fieldLines = (fields: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join('\n');

/** The turns as they are found again by whoever reads the page: role and number must be what was written. */
function readsBack(text: string, slug: Slug, pieces: readonly Piece[]): boolean {
  const fences = parseFences(text);
  const parsed = parsePage(text, { slug });
  if (!fences.ok || fences.fences.length > 0 || !parsed.ok || parsed.page.timelineRange !== null) return false;
  const roles = chunkBody(scanBody(bodyOfPage(parsed.page)), { conversation: true })
    .filter(({ source }) => source !== 'fenced_code')
    .map(({ speakerRole, startOffset }) => ({ role: speakerRole, startOffset }));
  if (roles.some(({ role }) => role === undefined)) return false;
  const headings = scanLines(text).lines.filter(
    (line) => line.kind === 'heading' && opensTurn(text.slice(line.contentStart, line.end)),
  );
  return headings.length === pieces.length;
}

const HASH_LINE = /^transcript_hash: "[0-9a-f]{64}"$/m;

/** Hash of a page's text without the line that holds it: another one means that somebody has edited the page. */
export const transcriptHash = (text: string): string => sha256(text.replace(HASH_LINE, 'transcript_hash:'));

/** True when the text stands as an ingest has written it. */
export const isUntouched = (text: string): boolean =>
  HASH_LINE.exec(text)?.[0] === `transcript_hash: "${transcriptHash(text)}"`;

/** How far into its conversation a page of ours reaches; 0 for any other text. */
export const turnsOf = (text: string): number => Number(/^turns: (\d+)$/m.exec(text)?.[1] ?? 0);

/** The slug of a conversation's first page: its app, its day, and a short name of its id. */
export function conversationSlug({ format, id, startedAt }: Conversation): string {
  const day = startedAt?.slice(0, 10) ?? 'undated';
  return `conversations/${format}/${day}-${sha256(`${format}\n${id}`).slice(0, 10)}`;
}

function slugOf(text: string): Slug {
  const parsed = parseSlug(text);
  if (!parsed.ok) throw new Error(`${text} is no slug`);
  return parsed.slug;
}

/** How the pages of a conversation are written. */
export interface PageOptions {
  secrets: SecretDetector;
  /** Where the conversation was read. */
  file: string;
  isPrivate: boolean;
}

/** The pages of a conversation, the same ones for the same conversation. Credentials are struck out first. */
export function transcriptPages(
  conversation: Conversation,
  { secrets, file, isPrivate }: PageOptions,
): TranscriptPages {
  let redacted = 0;
  const clean = (text: string): string => {
    const struck = secrets.redact(pageSafe(text));
    redacted += struck.found;
    return struck.text;
  };
  const turns = conversation.turns.map((turn) => ({ ...turn, text: clean(turn.text) }));
  const title = titleOf({ ...conversation, turns, ...(conversation.title && { title: clean(conversation.title) }) });
  const groups = pageGroups(turns);
  const first = conversationSlug(conversation);
  const pages = groups.map((pieces, index): TranscriptPage => {
    const slug = slugOf(index === 0 ? first : `${first}-${index + 1}`);
    const head = (hash: string) =>
      fieldLines({
        type: 'conversation',
        title: index === 0 ? title : `${title} (${index + 1})`,
        date: conversation.startedAt?.slice(0, 10),
        visibility: isPrivate ? 'private' : undefined,
        app: conversation.format,
        session_id: clean(conversation.id),
        started_at: conversation.startedAt,
        folder: conversation.folder && clean(conversation.folder),
        transcript_file: clean(file),
        turns: pieces.at(-1)!.number,
        transcript_hash: hash,
      });
    const bodyOf = (shape: (text: string) => string) =>
      pieces.map(({ turn }) => `${headingOf(turn)}\n\n${shape(turn.text)}\n`).join('\n');
    const whole = (body: string) => {
      const open = `---\n${head('0'.repeat(64))}\n---\n\n${body}`;
      return `---\n${head(transcriptHash(open))}\n---\n\n${body}`;
    };
    const kept = whole(bodyOf(insideTurn));
    const text = readsBack(kept, slug, pieces) ? kept : whole(bodyOf((turn) => insideTurn(flat(turn))));
    return { slug, text, turns: pieces.at(-1)!.number };
  });
  return { pages, redacted };
}
