// What is no fact however it is worded: greetings, thanks, questions, and what an agent says while it works. Pure.
// It looks at whole texts only: a sentence that states something besides is kept.

/** Kinds of chatter. */
export type Chatter = 'greeting' | 'acknowledgement' | 'question' | 'narration';

const FILLER =
  '(?:ok(?:ay)?|yes|yep|yeah|no|nope|sure|right|great|perfect|nice|cool|good|fine|thanks|thank you|alright|' +
  'hm+|got it)';
/** A filler in front of what follows. */
const BEFORE = `(?:${FILLER}[\\s,.!]+)?`;
const END = '[\\s.!,;:)(\\p{Extended_Pictographic}]*';
const whole = (...list: readonly string[]): RegExp => new RegExp(`^${END}(?:${list.join('|')})${END}$`, 'iu');

const GREETINGS = whole(
  `${BEFORE}(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|bye|goodbye|see you|cheers|welcome)` +
    '(?:[\\s,]+(?:there|all|everyone|everybody|team|again|later|soon|tomorrow|\\p{L}+))?',
  '(?:nice to (?:meet|see) you|how are you(?: doing)?(?: today)?\\??)',
  'have a (?:nice|good|great) (?:day|evening|weekend)',
);
const FINE = [
  "sounds good|makes sense|looks good(?: to me)?|no problem|you are welcome|you're welcome|will do|my pleasure|done",
  "understood|noted|agreed|exactly|of course|never mind|go ahead|please continue|carry on|let us go|let's go|lgtm",
  'works for me',
].join('|');
const THANKS =
  '(?:thanks|thank you|many thanks)' +
  '(?: (?:so much|very much|a lot|again|for (?:the|your|that|this) [\\p{L}\\s]{1,40}))?';
const ONE = `(?:${FILLER}|${FINE}|${THANKS})`;
const ACKNOWLEDGEMENTS = whole(`${ONE}(?:[\\s,.!]+${ONE}){0,4}`);
const WORKING =
  '(?:check|look|see|run|try|start|open|read|search|find|fix|update|write|edit|create|add|review|verify|test|think|' +
  'continue|proceed|do|get|use|help|investigate|inspect|install|build|retry|go)';
const RUNNING =
  '(?:running|checking|looking|searching|reading|opening|fetching|loading|installing|compiling|building|testing|' +
  'retrying|thinking|working|waiting)';
const ABOUT_TO =
  "(?:let me|let's|let us|allow me to|" +
  "(?:i'll|i will|i am|i'm|i am going to|i'm going to) (?:now|first|just|quickly)) (?:now |first |just |quickly )?";
const OBJECT =
  '(?:the|your|this|that|all) ' +
  '(?:files?|code|tests?|logs?|repo|repository|docs|config|output|errors?|command|script|function|page)';
/** What an agent says of its work: what it does, will do, or has just done. */
const WORK = [
  `${ABOUT_TO}${WORKING}\\b`,
  `(?:i'll|i will|i am going to|i'm going to|i should|i need to) ${WORKING} (?:through |at |into |for )?${OBJECT}` +
    '\\b[^.]{0,40}$',
  `${RUNNING}\\b[^.]{0,60}(?:\\.{2,}|…| now\\.?)$`,
  `${RUNNING} (?:the|your|all|some|for|through) (?:[\\p{L}]+ ?){1,4}$`,
  "(?:i have|i've|i) (?:just )?(?:run|ran|checked|read|opened|searched|looked|fixed|updated|edited|finished)" +
    ' (?:the|it|this|that|all|your)\\b',
  '(?:the )?(?:tests?|build|command|script|tool call|request|search) (?:is|are) (?:still )?' +
    '(?:running|loading|in progress)(?: now)?\\W*$',
  "(?:here is|here are|here's) (?:the|your|a|what|my)\\b[^.]{0,80}[:.]?$",
  '(?:how can i help|what can i do for you|is there anything else|let me know if)\\b',
  '(?:one moment|just a (?:moment|second|minute)|please wait|hold on|hang on|stand by|brb)\\b',
  'give me a (?:moment|second|minute)\\b',
  '(?:sorry|apologies|my apologies|i apologi[sz]e)\\b[^.]{0,60}$',
];
const NARRATION = new RegExp(`^${BEFORE}(?:now |next,? |first,? |then,? )?(?:${WORK.join('|')})`, 'iu');
const ASKING = new RegExp(
  '^(?:who|what|when|where|why|how|which|whose|can|could|would|will|shall|should|do|does|did|is|are|was|were|has|' +
    'have|may|might)\\b',
  'iu',
);

/** What kind of chatter a text is; undefined for one that may be a fact. */
export function chatterOf(text: string): Chatter | undefined {
  const plain = text.replace(/[‘’]/gu, "'").replace(/\s+/gu, ' ').trim();
  if (!/[\p{L}\p{N}]/u.test(plain) || ACKNOWLEDGEMENTS.test(plain)) return 'acknowledgement';
  if (GREETINGS.test(plain)) return 'greeting';
  if (isQuestion(plain)) return 'question';
  return NARRATION.test(plain) ? 'narration' : undefined;
}

/** Questions and nothing else; one that stands behind a statement leaves the statement. */
function isQuestion(plain: string): boolean {
  if (!/[?？]["')\s]*$/u.test(plain)) return false;
  const sentences = plain.split(/(?<=[.!?？。])\s+/u).filter((one) => /\p{L}/u.test(one));
  return sentences.every((one) => /[?？]["')\s]*$/u.test(one) || (sentences.length === 1 && ASKING.test(one)));
}
