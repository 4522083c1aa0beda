// Marks on stored text that the owner did not say: who wrote it, where its words came from, and whether it reads like
// an order to whoever reads it. Pure. A mark never hides a text; it tells a reader to treat it as data.
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

/** One way to speak to a model. */
interface Order {
  /** A word of each group stands in the text in lower case, else the pattern is not tried; the rarer group first. */
  needs: readonly (readonly string[])[];
  pattern: RegExp;
  /** Looks at the text as it is written, not at its words alone. */
  isRaw?: true;
}

const PRIOR = '(?:previous|prior|earlier|above|preceding|existing|other|system|safety)';
const ORDERED = '(?:instruction|prompt|rule|direction|message|guideline|command|context|polic)';

/**
 * What only a text that speaks to a model says. Each row needs a verb of command with its object, because a note about
 * such texts is no attack: a mark that is on everything is read by nobody.
 */
const ORDERS: readonly Order[] = [
  {
    needs: [['ignore', 'disregard', 'forget', 'override', 'bypass']],
    pattern: new RegExp(
      `(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|the|your|my|these|of|every) ){0,3}(?:${PRIOR} ){1,2}` +
        ORDERED,
    ),
  },
  {
    needs: [['pretend', ' now', 'act']],
    pattern: /you are now |from now on you |pretend to be |you must now act|act as if you/,
  },
  {
    needs: [
      ['user', 'owner', 'human', 'operator'],
      ['tell', 'inform', 'mention', 'alert', 'notify'],
    ],
    pattern: new RegExp(
      '(?:do not|never|don t|without) (?:tell|inform|mention|alert|notify)(?:ing)? (?:(?:this|it|anything) (?:to )?)?' +
        '(?:the )?(?:user|owner|human|operator)',
    ),
  },
  {
    needs: [
      ['prompt', 'instructions', 'api', 'credentials', 'secrets'],
      ['reveal', 'print', 'repeat', 'output', 'leak', 'send', 'show'],
    ],
    pattern: new RegExp(
      '(?:reveal|print|repeat|output|leak|send|show) (?:(?:me|us|your|the|full|entire|hidden) ){0,3}' +
        '(?:system prompt|initial instructions|hidden instructions|api keys?|credentials|secrets)',
    ),
  },
  {
    needs: [
      ['note', 'message', 'instruction', 'attention', 'important'],
      ['assistant', 'agent', 'llm', 'model', 'ai'],
    ],
    pattern: new RegExp(
      '(?:note|message|instruction|attention|important)s? ?(?:to|for) (?:the |all |any )?' +
        '(?:ai|assistant|agent|llm|model|language model)s? ?[:!]',
    ),
  },
  {
    needs: [['<']],
    pattern:
      /<\/?(?:system|assistant|tool_result|function_calls?)\b[^>]*>|<\|(?:im_start|im_end|system|endoftext)\|>/iu,
    isRaw: true,
  },
  {
    needs: [['['], ['agent', 'user', 'system', 'gbrain']],
    pattern:
      /\[[\s\p{Cf}]*(?:(?:\/[\s\p{Cf}]*)?(?:AGENT|SHOW[\s\p{Cf}]*USER|SYSTEM)[\s\p{Cf}]*\]|gbrain[\s\p{Cf}]*notice)/u,
    isRaw: true,
  },
  { needs: [['system', 'developer'], [':']], pattern: /^\s*(?:system|developer)\s*:\s*\S/imu, isRaw: true },
];

/** Whether a text speaks to a model as its master would. */
export function readsAsOrder(text: string): boolean {
  const lower = text.toLowerCase();
  let words: string | undefined;
  return ORDERS.some(({ needs, pattern, isRaw }) => {
    if (!needs.every((group) => group.some((word) => lower.includes(word)))) return false;
    if (isRaw) return pattern.test(text);
    words ??= lower.replace(/[\s\p{Cf}*_"'’`>]+/gu, ' ');
    return pattern.test(words);
  });
}

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
