// The embedding model that `init` is given: checked before anything is made, kept in the file of the home, told in the
// reply. It calls no provider.
import type { Context } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { parseSetting } from '../../settings.ts';
import { requireSetting } from '../config/setting-key.ts';
import { currentModel, findModel } from '../models/find-model.ts';

/** What `init` was told about embeddings. */
export interface EmbeddingInput {
  /** False for `--no-embedding`. */
  embedding?: boolean | undefined;
  embedding_model?: string | undefined;
  embedding_dimensions?: number | undefined;
}

/** What the reply says of embeddings. */
export const embeddingCheckShape = (z: Z) =>
  z.object({
    ok: z.boolean(),
    skipped: z.enum(['no_embedding', 'not_probed']),
    model: z.string().optional(),
    reason: z.string().optional(),
  });

/** Fails with `invalid_params` for a choice that cannot be: a model beside `--no-embedding`, one that nobody offers. */
export async function requireEmbedding(ctx: Context, input: EmbeddingInput): Promise<void> {
  const { embedding, embedding_model: ref, embedding_dimensions: size } = input;
  const refuse = (param: string, expected: string): never =>
    ctx.fail('invalid_params', { tool: 'init', param, problem: 'shape', expected });
  if (embedding === false && ref !== undefined) refuse('embedding_model', 'left out when --no-embedding is given');
  if (ref !== undefined) {
    const parsed = parseSetting(requireSetting(ctx, 'embedding_model'), ref);
    if (!parsed.ok) return refuse('embedding_model', parsed.why);
    const found = ref === 'off' ? undefined : await findModel(ctx.host, ref, 'embedding');
    if (found && 'none' in found && found.none === 'unknown_model') {
      refuse('embedding_model', `provider:model, of one of ${found.families.join(', ')}`);
    }
  }
  if (size === undefined) return;
  const parsed = parseSetting(requireSetting(ctx, 'embedding_dimensions'), String(size));
  if (!parsed.ok) refuse('embedding_dimensions', parsed.why);
}

/** Keeps the choice. A key in the environment must not turn on what the user turned off. */
export async function keepEmbedding({ host }: Context, input: EmbeddingInput): Promise<void> {
  const { embedding, embedding_model: ref, embedding_dimensions: size } = input;
  if (ref !== undefined) await host.fileConfig.write('embedding_model', ref);
  if (size !== undefined) await host.fileConfig.write('embedding_dimensions', String(size));
  if (embedding === false && (await host.setting('embedding_model')).plane === 'default')
    await host.fileConfig.write('embedding_model', 'off');
}

/** What can be said of embeddings without asking a provider. */
export async function checkEmbedding({ host }: Context) {
  const found = await currentModel(host, 'embedding');
  if (!('none' in found)) return { ok: true, skipped: 'not_probed' as const, model: found.model.ref };
  if (!('ref' in found)) return { ok: true, skipped: 'no_embedding' as const };
  return { ok: false, skipped: 'not_probed' as const, model: found.ref, reason: found.none };
}
