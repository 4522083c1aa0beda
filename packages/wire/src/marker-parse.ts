// Reads `[AGENT]` blocks and notice blocks back, line by line and strictly: for harnesses, and to prove the builders.
import { NOTICE_KINDS, type NoticeKind } from './notice.ts';

/** A block as its lines read. */
export interface ParsedAgentBlock {
  /** Fields in the order in which they stood. */
  fields: [string, string][];
  decisions: { question: string; id: string; options: string[]; default: string }[];
  showUser?: string;
}

/** A text taken apart. `stray` holds the lines outside of every block. */
export interface ParsedMarkers {
  blocks: ParsedAgentBlock[];
  stray: string[];
}

const FIELD = /^(ask|why|risk|consent|actor|next|if_yes|if_no|verify): (.*)$/;
const DECISION = /^(\d+)\. (.*) \(id: (.*)\)$/;

/** The blocks of a text. Throws a SyntaxError for a block that does not follow the grammar or does not end. */
export function parseAgentBlocks(text: string): ParsedMarkers {
  const parsed: ParsedMarkers = { blocks: [], stray: [] };
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (line !== '[AGENT]') {
      if (line !== '') parsed.stray.push(line);
      continue;
    }
    const end = lines.indexOf('[/AGENT]', index);
    if (end === -1) throw new SyntaxError(`The block of line ${index + 1} does not end.`);
    parsed.blocks.push(parseBlock(lines.slice(index + 1, end)));
    index = end;
  }
  return parsed;
}

function parseBlock(lines: readonly string[]): ParsedAgentBlock {
  const block: ParsedAgentBlock = { fields: [], decisions: [] };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (line === '[SHOW USER]') {
      if (lines[index + 2] !== '[/SHOW USER]' || index + 3 !== lines.length) {
        throw new SyntaxError('A relay text is one line and ends its block.');
      }
      block.showUser = lines[index + 1] as string;
      return block;
    }
    parseLine(line, block);
  }
  return block;
}

function parseLine(line: string, block: ParsedAgentBlock): void {
  const decision = block.decisions.at(-1);
  const field = decision === undefined ? FIELD.exec(line) : null;
  const opened = DECISION.exec(line);
  if (field !== null) block.fields.push([field[1] as string, field[2] as string]);
  else if (opened !== null) {
    if (Number(opened[1]) !== block.decisions.length + 1) throw new SyntaxError(`Decision out of order: ${line}`);
    block.decisions.push({ question: opened[2] as string, id: opened[3] as string, options: [], default: '' });
  } else if (decision !== undefined && line.startsWith('   - ')) decision.options.push(line.slice(5));
  else if (decision !== undefined && line.startsWith('   default: ')) decision.default = line.slice(12);
  else throw new SyntaxError(`Not a line of a block: ${line}`);
}

/** A notice block as its lines read. */
export interface ParsedNoticeBlock {
  code: string;
  kind: NoticeKind;
  why: string;
  fix?: string;
  next?: string;
  user_message?: string;
  decisions: string[];
}

const PREFIX = /^\[gbrain notice (\S+) kind=(\S+)\]$/;

/** The notice of one MCP text block; undefined for a block that is no notice. Throws a SyntaxError for a broken one. */
export function parseNoticeBlock(text: string): ParsedNoticeBlock | undefined {
  const [head, ...lines] = text.split('\n');
  const prefix = PREFIX.exec(head ?? '');
  if (prefix === null) return undefined;
  const kind = NOTICE_KINDS.find((one) => one === prefix[2]);
  if (kind === undefined) throw new SyntaxError(`Unknown kind of notice: ${prefix[2]}`);
  const block: ParsedNoticeBlock = { code: prefix[1] as string, kind, why: '', decisions: [] };
  for (const line of lines) {
    const field = /^(why|fix|next|user_message): (.*)$/.exec(line);
    if (field !== null) block[field[1] as 'why'] = field[2] as string;
    else if (line.startsWith('decision ')) block.decisions.push(line.slice('decision '.length));
    else throw new SyntaxError(`Not a line of a notice: ${line}`);
  }
  return block;
}
