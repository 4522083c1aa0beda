// What an embed run asks the user before it spends.
import type { ConsentRequest } from '@gbrain/wire/envelope';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { toAction } from '../../fix.ts';
import { counted } from '../../row-text.ts';
import { aboutUsd } from '../spend/prices.ts';
import { type EmbedInput, planEmbed, whyEmbed } from './embed-plan.ts';

/** The agreement that a run needs; none for a look, for a local model, and where nothing waits. */
export async function embedConsent(ctx: Context, input: EmbedInput): Promise<ConsentRequest | undefined> {
  if (input.dry_run) return undefined;
  const plan = await planEmbed(ctx, input);
  const { embedder, waiting, estUsd } = plan;
  if (embedder.model.isFree || waiting.texts === 0) return undefined;
  const { registry } = ctx.host;
  const { ref } = embedder.model;
  const call = { op: 'embed', input: { ...input } };
  const pages = counted(waiting.pages, plan.noun);
  const why = whyEmbed(plan);
  const approve = toAction(registry, { call, consent: ['paid'], why, ...(estUsd !== null && { estUsd }) });
  const operation = registry.operation('embed');
  if (!approve || !operation) throw new Error('embed is not registered');
  const preview = callArgv(operation, { ...input, dry_run: true });
  return {
    effects: ['paid'],
    actor: 'agent',
    what: 'embed',
    why,
    risk:
      `It sends the text of ${pages} to ${embedder.model.provider} and spends up to the cap; ` +
      'nothing is changed or deleted.',
    est_usd: estUsd,
    user_message: `Embedding ${pages} with ${ref} will cost ${aboutUsd(estUsd)}. OK to proceed?`,
    approve,
    preview_argv: [...preview.slice(0, 2), '--json', ...preview.slice(2)],
  };
}
