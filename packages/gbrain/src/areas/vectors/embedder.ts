// The embedding model of a profile: which one is wanted, with which size, and how its texts are cut. It stores nothing.
import type { Host } from '../../host.ts';
import { type CallTerms, meteredEmbed } from '../../providers/metered.ts';
import { NO_PURSE } from '../../providers/purse.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { EmbedRole } from '../../providers/roles.ts';
import { estimateTokens, worstCaseTokens } from '../chunks/measure.ts';
import { currentModel, type FoundModel, findModel, type NoModel } from '../models/find-model.ts';
import { capTokens, INPUT_VERSION } from './embed-input.ts';
import type { ProfileRow } from './profiles.sql.ts';

/** A model that can make the vectors of a profile. */
export interface Embedder {
  readonly model: ResolvedModel;
  readonly dimensions: number;
  /** Asked for in the request; absent where the size is the model's own. */
  readonly asksSize?: number;
  /** `provider:model:size:version`; vectors of two signatures never meet. */
  readonly signature: string;
  /** The most tokens of one text; absent where the provider cuts by itself. */
  readonly maxTokens?: number;
  readonly maxTexts: number;
  readonly maxRequestTokens: number;
}

/** Why there is no embedder, beside a model that is missing. */
export type NoEmbedder =
  | NoModel
  /** Nothing says how long the vectors of this model are. */
  | { none: 'size_unknown'; ref: string }
  /** The model does not give vectors of the configured size. */
  | { none: 'size_not_offered'; ref: string; sizes: readonly number[] };

/** Tokens of one text that a model of unknown limits is trusted with. */
const UNKNOWN_MAX_TOKENS = 2_048;
const PROBE_TIMEOUT_MS = 20_000;

/** How long the vectors of a local model are: it is asked once, for it bills nothing. */
async function probeSize(model: ResolvedModel): Promise<number | undefined> {
  const terms: CallTerms = { purse: NO_PURSE, purpose: 'probe', timeoutMs: PROBE_TIMEOUT_MS };
  const { value } = await meteredEmbed(model, { texts: ['size'], role: 'document', maxInputTokens: 8 }, terms);
  return Array.isArray(value[0]) && value[0].length > 0 ? value[0].length : undefined;
}

function embedderOf({ model, provider }: FoundModel, dimensions: number): Embedder {
  const facts = provider.embedding;
  const known = facts?.models[model.model];
  const isOwnSize = known === undefined || known.dimensions === dimensions;
  return {
    model,
    dimensions,
    ...(!isOwnSize && { asksSize: dimensions }),
    signature: `${model.ref}:${dimensions}:${INPUT_VERSION}`,
    ...(!facts?.cutsLongTexts && { maxTokens: known?.maxTokens ?? UNKNOWN_MAX_TOKENS }),
    maxTexts: facts?.maxTexts ?? 32,
    maxRequestTokens: facts?.maxRequestTokens ?? 16_000,
  };
}

/** The embedder that the settings ask for. A local model of unknown size is asked for it; a fault of that is thrown. */
export async function wantedEmbedder(host: Host): Promise<Embedder | NoEmbedder> {
  const found = await currentModel(host, 'embedding');
  if ('none' in found) return found;
  const { model, provider } = found;
  const known = provider.embedding?.models[model.model];
  const { value } = await host.setting('embedding_dimensions');
  const wanted = typeof value === 'number' ? value : undefined;
  const sizes = known ? [known.dimensions, ...(known.sizes ?? [])] : undefined;
  if (wanted !== undefined && sizes && !sizes.includes(wanted)) {
    return { none: 'size_not_offered', ref: model.ref, sizes };
  }
  const dimensions = wanted ?? known?.dimensions ?? (model.isFree ? await probeSize(model) : undefined);
  return dimensions === undefined ? { none: 'size_unknown', ref: model.ref } : embedderOf(found, dimensions);
}

/** The embedder of a profile that is there, whatever the settings say by now. */
export async function profileEmbedder(host: Host, profile: ProfileRow): Promise<Embedder | NoModel> {
  const found = await findModel(host, profile.model, 'embedding');
  return 'none' in found ? found : { ...embedderOf(found, profile.dimensions), signature: profile.signature };
}

/** A text as it is sent: no longer than the model takes. */
export const sentText = ({ maxTokens }: Embedder, text: string): string =>
  maxTokens === undefined ? text : capTokens(text, maxTokens);

/** Vectors of texts of one request, unchecked, paid from a purse. */
export const callEmbedder = (embedder: Embedder, texts: readonly string[], role: EmbedRole, terms: CallTerms) =>
  meteredEmbed(
    embedder.model,
    {
      texts,
      role,
      ...(embedder.asksSize !== undefined && { dimensions: embedder.asksSize }),
      maxInputTokens: texts.reduce((sum, text) => sum + worstCaseTokens(text), 0),
    },
    terms,
  );

/** Estimates run low for some tokenizers; a request stays this far below what the provider takes. */
const MARGIN = 0.75;
/** More texts a request gain little and lose more when it fails. */
const TEXTS_MAX = 96;

/** Cuts texts into requests, in order: so many texts, and so many estimated tokens. */
export function packRequests<T extends { sent: string }>(embedder: Embedder, texts: readonly T[]): T[][] {
  const requests: T[][] = [];
  const textsMax = Math.min(embedder.maxTexts, TEXTS_MAX);
  let tokens = 0;
  for (const text of texts) {
    const own = estimateTokens(text.sent);
    const last = requests.at(-1);
    if (last && last.length < textsMax && tokens + own <= embedder.maxRequestTokens * MARGIN) {
      last.push(text);
      tokens += own;
    } else {
      requests.push([text]);
      tokens = own;
    }
  }
  return requests;
}
