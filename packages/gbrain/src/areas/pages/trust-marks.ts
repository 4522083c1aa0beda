// Marks on stored text that the owner did not say: who wrote it, where its words came from, and whether it reads like an
// order to whoever reads it. Pure. A mark never hides a text; it tells a reader to treat it as data.
import type { Z } from '../../operation.ts';

/** Whose words a stored text is. */
export interface TrustOf {
  /** `owner`, `agent_written` or `external_untrusted`. Source: design/decisions 22a. */
  trust_tier: string;
  content_origin: string | null | undefined;
}

/** Marks as a row carries them. Source: facts/engine G.2, mcp-access. */
export interface TrustMarks {
  trust_tier: string;
  origin?: string;
  /** The text speaks to a model: it orders, plays a role or forges a block. */
  injection_suspected?: true;
  /** Nobody said it; it was concluded. */
  unverified?: true;
}

const gap = '[\\s\\p{Cf}*_"\'`>]{1,6}';
const words = (...list: readonly string[]): string => list.map((one) => one.replaceAll(' ', gap)).join('|');

/**
 * What only a text that speaks to a model says. Each row needs a verb of command with its object, because a note about
 * such texts is no attack: a mark that is on everything is read by nobody.
 */
const ORDERS: readonly RegExp[] = [
  new RegExp(
    `(?:${words('ignore', 'disregard', 'forget', 'override', 'bypass')})${gap}(?:(?:all|any|the|your|my|these|of|every)${gap}){0,3}` +
      `(?:(?:previous|prior|earlier|above|preceding|existing|other|system|safety)${gap}){1,2}` +
      `(?:${words('instruction', 'prompt', 'rule', 'direction', 'message', 'guideline', 'command', 'context', 'polic')})`,
    'iu',
  ),
  new RegExp(
    `(?:${words('you are now', 'from now on you', 'pretend to be', 'you must now act', 'act as if you')})`,
    'iu',
  ),
  new RegExp(
    `(?:${words('do not', 'never', "don't", 'without')})${gap}(?:tell|telling|inform|informing|mention|alert|notify)` +
      `(?:ing)?${gap}(?:(?:this|it|anything)${gap}(?:to)?${gap}?)?(?:the)?${gap}?(?:user|owner|human|operator)`,
    'iu',
  ),
  new RegExp(
    `(?:reveal|print|repeat|output|leak|send|show)${gap}(?:(?:me|us|your|the|full|entire|hidden)${gap}){0,3}` +
      `(?:system${gap}prompt|initial${gap}instructions|hidden${gap}instructions|api${gap}keys?|credentials|secrets)`,
    'iu',
  ),
  new RegExp(
    `(?:note|message|instruction|attention|important)s?${gap}?(?:to|for)${gap}(?:the${gap}|all${gap}|any${gap})?` +
      `(?:ai|assistant|agent|llm|model|language${gap}model)s?[\\s]*[:!]`,
    'iu',
  ),
  /<\/?(?:system|assistant|tool_result|function_calls?|im_start|im_end)\b[^>]*>|<\|(?:im_start|im_end|system|endoftext)\|>/iu,
  /\[[\s\p{Cf}]*(?:\/[\s\p{Cf}]*)?(?:AGENT|SHOW[\s\p{Cf}]*USER|SYSTEM)[\s\p{Cf}]*\]|\[[\s\p{Cf}]*gbrain[\s\p{Cf}]*notice/u,
  /^\s*(?:system|developer)\s*:\s*\S/imu,
];

/** Whether a text speaks to a model as its master would. */
export const readsAsOrder = (text: string): boolean => ORDERS.some((pattern) => pattern.test(text));

/** Whether the owner said it: its own words, and not something that it let in. */
export const isOwnersWord = ({ trust_tier, content_origin }: TrustOf): boolean =>
  trust_tier === 'owner' && (content_origin == null || content_origin === 'user_said');

/** The marks of a text; those that do not hold are left out. */
export function trustMarks(of: TrustOf, text: string): TrustMarks {
  return {
    trust_tier: of.trust_tier,
    ...(of.content_origin != null && of.content_origin !== '' && { origin: of.content_origin }),
    ...(!isOwnersWord(of) && readsAsOrder(text) && { injection_suspected: true as const }),
    ...(of.content_origin === 'inferred' && { unverified: true as const }),
  };
}

/** Only the marks of a row that carries more. */
export const marksOf = ({ trust_tier, origin, injection_suspected, unverified }: TrustMarks): TrustMarks => ({
  trust_tier,
  ...(origin !== undefined && { origin }),
  ...(injection_suspected && { injection_suspected }),
  ...(unverified && { unverified }),
});

/** Schema of the marks, spread into that of a row. */
export const trustShape = (z: Z) => ({
  trust_tier: z.string(),
  origin: z.string().optional(),
  injection_suspected: z.literal(true).optional(),
  unverified: z.literal(true).optional(),
});
