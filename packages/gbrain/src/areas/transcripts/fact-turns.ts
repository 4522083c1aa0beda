// The turns of conversations whose facts wait to be extracted: what the user said in conversations that are in the
// brain, worth a call of a model, and not extracted yet.
import type { Context } from '../../context.ts';
import { type Turn, unextracted } from '../extraction/extract-turn.ts';
import { isWorthExtracting } from '../extraction/worth-extracting.ts';
import { PROVENANCE_CHARS_MAX } from '../facts/fact.ts';
import type { Conversation, TranscriptFormat } from './conversation.ts';
import { conversationSlug } from './page-text.ts';
import { readTranscript } from './read-transcript.ts';
import { readConversationPage } from './transcripts.sql.ts';

/** Whose facts are asked for. */
export interface FactTurnsAsk {
  files: readonly string[];
  format?: TranscriptFormat;
  since?: string;
  isPrivate: boolean;
}

/** Who may read the facts of a conversation: who may read its page. Undefined where they are not to be extracted. */
async function visibilityOf(
  ctx: Context,
  slug: string,
  { isPrivate, isPlan }: { isPrivate: boolean; isPlan: boolean },
): Promise<Turn['visibility'] | undefined> {
  const page = await readConversationPage(ctx.brain.store, ctx.target.source, slug);
  // A plan is made before the pages are there.
  if (!page) return isPlan ? (isPrivate ? 'private' : 'world') : undefined;
  return page.is_deleted || !page.is_conversation ? undefined : page.visibility;
}

function turnsOf(ctx: Context, conversation: Conversation, visibility: Turn['visibility']): Turn[] {
  const slug = conversationSlug(conversation);
  const now = ctx.now().toISOString();
  return conversation.turns.flatMap(({ role, text, at }, index): Turn[] => {
    if (role !== 'user' || !isWorthExtracting(text)) return [];
    const saidAt = at ?? conversation.startedAt;
    const provenance = `${conversation.format} session ${conversation.id}, turn ${index + 1}, page ${slug}`;
    return [
      {
        text,
        provenance: provenance.slice(0, PROVENANCE_CHARS_MAX).toWellFormed(),
        visibility,
        only: 'all',
        ...(conversation.id !== '' && { session: conversation.id.slice(0, 256).toWellFormed() }),
        ...(saidAt !== undefined && saidAt <= now && { saidAt }),
      },
    ];
  });
}

/** Waiting turns, conversation by conversation. `isPlan`: before the conversations are taken in. */
export async function* waitingTurns(ctx: Context, ask: FactTurnsAsk, isPlan: boolean): AsyncGenerator<Turn[]> {
  const slugs = new Set<string>();
  for (const file of ask.files) {
    for await (const { conversation } of readTranscript(file, ctx.signal)) {
      if (!conversation || conversation.turns.length === 0) continue;
      if (ask.format && conversation.format !== ask.format) continue;
      if (ask.since && (conversation.startedAt ?? '') < ask.since) continue;
      const slug = conversationSlug(conversation);
      if (slugs.has(slug)) continue;
      slugs.add(slug);
      const visibility = await visibilityOf(ctx, slug, { isPrivate: ask.isPrivate, isPlan });
      const turns = visibility ? await unextracted(ctx, turnsOf(ctx, conversation, visibility)) : [];
      if (turns.length > 0) yield turns;
    }
  }
}
