// Reads conversations of LoCoMo and BEAM as documents of the index, with the questions whose gold turns are known.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { ChunkText, IndexDocument } from '../packages/gbrain/src/index/document.ts';

/** A question with its gold turns (`page:chunk`). */
export interface TurnQuestion {
  readonly kind: string;
  readonly text: string;
  readonly gold: readonly string[];
}

/** One conversation: its sessions as pages, its turns as chunks. */
export interface Conversation {
  readonly pages: readonly IndexDocument[];
  readonly questions: readonly TurnQuestion[];
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

function isoOf(text: string): string | null {
  const match = /(\d{1,2}) (\w+),? (\d{4})/.exec(text);
  const month = match ? MONTHS.indexOf(match[2]!.toLowerCase()) + 1 : 0;
  return match && month > 0 ? `${match[3]}-${String(month).padStart(2, '0')}-${match[1]!.padStart(2, '0')}` : null;
}

function page(pageId: number, title: string, date: string | null, chunks: ChunkText[]): IndexDocument {
  return {
    pageId,
    sourceId: 'default',
    visibility: 'world',
    slug: `chats/${pageId}`,
    title,
    aliases: [],
    type: 'conversation',
    effectiveDate: date,
    chunks,
    timeline: [],
  };
}

interface LocomoTurn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

interface LocomoSample {
  readonly conversation: Record<string, unknown>;
  readonly qa: readonly { question: string; evidence?: string[]; category: number }[];
}

const LOCOMO_KINDS = ['', 'multi-hop', 'temporal', 'open', 'single-hop', 'adversarial'];

/** Conversations of a LoCoMo file; adversarial questions are left out. */
export function readLocomo(file: string): Conversation[] {
  const samples = JSON.parse(readFileSync(file, 'utf8')) as LocomoSample[];
  return samples.map(({ conversation, qa }) => {
    const pages: IndexDocument[] = [];
    const known = new Set<string>();
    for (let n = 1; conversation[`session_${n}`] !== undefined; n++) {
      const turns = conversation[`session_${n}`] as LocomoTurn[];
      const chunks = turns.map((turn): ChunkText => {
        const index = Number(turn.dia_id.split(':')[1]);
        known.add(`${n}:${index}`);
        const picture = turn.blip_caption ? ` [shares ${turn.blip_caption}]` : '';
        return { index, field: 'body', text: `${turn.speaker}: ${turn.text}${picture}` };
      });
      pages.push(page(n, `Session ${n}`, isoOf(String(conversation[`session_${n}_date_time`])), chunks));
    }
    const questions = qa.flatMap(({ question, evidence, category }): TurnQuestion[] => {
      const gold = (evidence ?? [])
        .flatMap((one) => one.split(/[;\s]+/))
        .map((one) => /^D(\d+):(\d+)$/.exec(one.trim()));
      const keys = [
        ...new Set(gold.flatMap((match) => (match ? [`${Number(match[1])}:${Number(match[2])}`] : []))),
      ].filter((key) => known.has(key));
      return category === 5 || keys.length === 0 ? [] : [{ kind: LOCOMO_KINDS[category]!, text: question, gold: keys }];
    });
    return { pages, questions };
  });
}

/** Code between fences: its own field, as the product's chunker keeps it. */
const FENCE = /```[\s\S]*?(?:```|$)/g;

interface BeamTurn {
  readonly role: string;
  readonly id: number;
  readonly content: string;
}

function parseLiteral(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return runInNewContext(
      `(${text
        .replace(/\bNone\b/g, 'null')
        .replace(/\bTrue\b/g, 'true')
        .replace(/\bFalse\b/g, 'false')})`,
      {},
      { timeout: 1000 },
    );
  }
}

function idsIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(idsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : [];
}

/** Chats of a BEAM folder: a batch is a page, a user message with its answer a chunk with a field for each. */
export function readBeam(folder: string): Conversation[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const chat = JSON.parse(readFileSync(join(folder, name, 'chat.json'), 'utf8')) as {
        turns: BeamTurn[][];
        time_anchor?: string;
      }[];
      const groupOf = new Map<number, string>();
      const pages = chat.map((batch, i) => {
        const chunks: ChunkText[] = [];
        let index = -1;
        for (const turn of batch.turns.flat()) {
          if (turn.role === 'user' || index < 0) index++;
          groupOf.set(turn.id, `${i + 1}:${index}`);
          const field = turn.role === 'user' ? 'user' : 'assistant';
          const text = turn.content.replace(/->-> \S+\s*$/, '');
          chunks.push({ index, field, text: text.replace(FENCE, ' ') });
          for (const [fence] of text.matchAll(FENCE))
            chunks.push({ index, field: field === 'user' ? 'code' : field, text: fence });
        }
        return page(i + 1, `Batch ${i + 1}`, null, chunks);
      });
      const probing = parseLiteral(readFileSync(join(folder, name, 'probing_questions.json'), 'utf8')) as Record<
        string,
        { question: string; source_chat_ids?: unknown }[]
      >;
      const questions = Object.entries(probing).flatMap(([kind, list]) =>
        list.flatMap(({ question, source_chat_ids }): TurnQuestion[] => {
          const gold = [
            ...new Set(
              idsIn(source_chat_ids)
                .map((id) => groupOf.get(id))
                .filter((key) => key !== undefined),
            ),
          ];
          return gold.length === 0 ? [] : [{ kind, text: question, gold }];
        }),
      );
      return { pages, questions };
    });
}
