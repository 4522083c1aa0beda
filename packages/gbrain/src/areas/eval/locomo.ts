// LoCoMo: long conversations of two people, a session a page and a turn a chunk, with questions whose turns are known.
import type { ChunkText, IndexDocument } from '../../index/document.ts';
import { chunkKey, conversationPage, type Dataset, type Question } from './dataset.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** ISO day of a text such as "1:56 pm on 8 May, 2023". */
function isoOf(text: string): string | null {
  const match = /(\d{1,2}) (\w+),? (\d{4})/.exec(text);
  const month = match ? MONTHS.indexOf(match[2]!.toLowerCase()) + 1 : 0;
  return match && month > 0 ? `${match[3]}-${String(month).padStart(2, '0')}-${match[1]!.padStart(2, '0')}` : null;
}

interface Turn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

interface Sample {
  readonly conversation: Record<string, unknown>;
  readonly qa: readonly { question: string; evidence?: string[]; category: number }[];
}

const KINDS = ['', 'multi-hop', 'temporal', 'open', 'single-hop', 'adversarial'];
/** Adversarial questions have no turn that answers them; they are left out of retrieval figures. */
const ADVERSARIAL = 5;

/** True for the parsed text of a LoCoMo file. */
export const isLocomo = (value: unknown): boolean =>
  Array.isArray(value) &&
  typeof value[0] === 'object' &&
  value[0] !== null &&
  'qa' in value[0] &&
  'conversation' in value[0];

/** The conversations of a parsed LoCoMo file, at the grain of turns. */
export function readLocomo(value: unknown): Dataset {
  const groups = (value as readonly Sample[]).map(({ conversation, qa }, sample) => {
    const pages: IndexDocument[] = [];
    const known = new Set<string>();
    for (let n = 1; conversation[`session_${n}`] !== undefined; n++) {
      const slug = `chats/${n}`;
      const chunks = (conversation[`session_${n}`] as Turn[]).map((turn): ChunkText => {
        const index = Number(turn.dia_id.split(':')[1]);
        known.add(chunkKey(slug, index));
        const picture = turn.blip_caption ? ` [shares ${turn.blip_caption}]` : '';
        return { index, field: 'body', text: `${turn.speaker}: ${turn.text}${picture}` };
      });
      const date = isoOf(String(conversation[`session_${n}_date_time`]));
      pages.push(conversationPage(n, { slug, title: `Session ${n}` }, date, chunks));
    }
    const questions = qa.flatMap(({ question, evidence, category }, i): Question[] => {
      const keys = (evidence ?? [])
        .flatMap((one) => one.split(/[;\s]+/))
        .map((one) => /^D(\d+):(\d+)$/.exec(one.trim()))
        .flatMap((match) => (match ? [chunkKey(`chats/${Number(match[1])}`, Number(match[2]))] : []))
        .filter((key) => known.has(key));
      if (category === ADVERSARIAL || keys.length === 0) return [];
      const gold = new Map(keys.map((key) => [key, 1] as const));
      return [{ id: `${sample + 1}-${i + 1}`, kind: KINDS[category] ?? `category ${category}`, text: question, gold }];
    });
    return { pages, questions };
  });
  return { name: 'LoCoMo turns', grain: 'chunk', groups };
}
