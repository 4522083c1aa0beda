// Ranks documents again by a reranker: gated by the search mode, bounded in time and money, and never in the way of an
// answer. Source: facts/engine C.7, C.8.
import { Raised } from '../../failure.ts';
import type { Host } from '../../host.ts';
import { meteredRerank } from '../../providers/metered.ts';
import { ProviderFault } from '../../providers/provider-fault.ts';
import { NO_PURSE } from '../../providers/purse.ts';
import type { Store } from '../../store/store.ts';
import { worstCaseTokens } from '../chunks/measure.ts';
import { openDayPurse } from '../spend/purse.ts';
import { currentModel } from './find-model.ts';

/** Search modes, from few words to many. */
export type SearchMode = 'conservative' | 'balanced' | 'tokenmax';

/** What is to be ranked. */
export interface RerankAsk {
  readonly query: string;
  /** In the order that stands; at most `rerankInput(mode)` of them are sent. */
  readonly documents: readonly string[];
  readonly mode: SearchMode;
  readonly signal?: AbortSignal;
}

/** What came of it. */
export type Reranked =
  /** Places of the documents, best first; equal scores keep their order, and what was not sent stands at the end. */
  | { readonly order: readonly number[]; readonly scores: readonly number[]; readonly model: string }
  /** `reranker_skipped`: it is off, or there is none. The order stands, and nothing is missing. */
  | { readonly skipped: 'off' | 'no_provider' | 'no_key' | 'nothing_to_rank' }
  /** `rerank_failed`: the order stands as it was. `detail` is our own word. */
  | { readonly failed: 'timeout' | 'budget' | 'provider_error'; readonly detail: string };

const INPUT_MAX: Readonly<Record<SearchMode, number>> = { conservative: 30, balanced: 25, tokenmax: 50 };
const TIMEOUT_MS = 5_000;
/** Longer documents are cut: their beginning tells enough. */
const DOCUMENT_CHARS_MAX = 6_000;

/** How many documents a mode has ranked again. */
export const rerankInput = (mode: SearchMode): number => INPUT_MAX[mode];

async function isOn(host: Host, mode: SearchMode): Promise<boolean> {
  const { value } = await host.setting('search.reranker.enabled');
  return typeof value === 'boolean' ? value : mode !== 'conservative';
}

const cut = (text: string): string => {
  const end = text.charCodeAt(DOCUMENT_CHARS_MAX - 1);
  // Not between the halves of a pair.
  return text.slice(0, end >= 0xd800 && end <= 0xdbff ? DOCUMENT_CHARS_MAX - 1 : DOCUMENT_CHARS_MAX);
};

/** Ranks documents again. It never rejects for a provider's fault or a cap. */
export async function rerankDocuments(
  { store, host }: { store: Store; host: Host },
  ask: RerankAsk,
): Promise<Reranked> {
  if (!(await isOn(host, ask.mode))) return { skipped: 'off' };
  if (ask.documents.length < 2 || ask.query.trim() === '') return { skipped: 'nothing_to_rank' };
  const found = await currentModel(host, 'rerank');
  if ('none' in found) {
    const none = found.none === 'off' ? 'off' : found.none === 'key_missing' ? 'no_key' : 'no_provider';
    return { skipped: none };
  }
  const documents = ask.documents.slice(0, rerankInput(ask.mode)).map(cut);
  const perDocument = worstCaseTokens(ask.query);
  const maxInputTokens = documents.reduce((sum, text) => sum + worstCaseTokens(text) + perDocument, 0);
  try {
    const purse = found.model.isFree ? NO_PURSE : await openDayPurse({ store, host }, 'rerank');
    const { value: scores } = await meteredRerank(
      found.model,
      { query: ask.query, documents, maxInputTokens },
      { purse, purpose: 'rerank', timeoutMs: TIMEOUT_MS, ...(ask.signal && { signal: ask.signal }) },
    );
    const order = documents.map((_, i) => i).sort((a, b) => scores[b]! - scores[a]! || a - b);
    const tail = ask.documents.slice(documents.length).map((_, i) => documents.length + i);
    return { order: [...order, ...tail], scores, model: found.model.ref };
  } catch (error) {
    if (error instanceof ProviderFault) {
      return { failed: error.kind === 'timeout' ? 'timeout' : 'provider_error', detail: error.kind };
    }
    if (error instanceof Raised) return { failed: 'budget', detail: error.code };
    throw error;
  }
}
