// The words that relation rules are written with: parts of patterns, lists of roles, marks of doubt and of the past.
// It holds words and no decisions.

/** One reference, or several in a row that share a verb (`groupLinks` makes them one unit). */
export const LINK = '[\\ue000-\\uf7ff]';
/** The page itself by name. */
export const OWN = '\\uf8ff';
/** A reference or the page by name. */
export const NAME = '[\\ue000-\\uf8ff]';
/** One word: no space, no name, no mark of punctuation. Cheaper than a class of letters, and any script has it. */
export const WORD = '[^\\s\\ue000-\\uf8ff.,;:()\\[\\]"|—–]+';
/** A word of a role; what joins roles is no part of one, which also keeps the patterns from trying every split. */
export const ROLE_WORD = `(?!and |or |& )${WORD}`;
/** Not in the middle of a word, on either side. */
export const WORD_START = "(?<![A-Za-z0-9\\u00c0-\\u024f'-])";
/** Not in the middle of a word. */
export const WORD_END = '(?![A-Za-z0-9\\u00c0-\\u024f])';
const PRONOUN = '(?:[Hh]e|[Ss]he|[Tt]hey|[Ii]t)(?![A-Za-z])';
/** What stands for a company's own page besides its name. */
const COMPANY_WORDS =
  '(?:[Tt]he|[Oo]ur|[Tt]his) (?:company|startup|start-up|firm|business|fund|organi[sz]ation|venture|' +
  'studio|lab|agency)(?![A-Za-z])';
/** What stands for a company's own page as an object. */
export const COMPANY_OBJECT = `(?:${COMPANY_WORDS}|(?:us|it)(?![A-Za-z]))`;
/** Everything that can be the subject of a rule. */
export const SUBJECT = `(?:${NAME}|${PRONOUN}|${COMPANY_WORDS})`;

/** Adverbs and auxiliaries between a subject and its verb. */
export const ADVERBS =
  '(?:(?:has|have|had|was|were|is|are|been|also|just|both|each|all|then|later|since|recently|' +
  'previously|formerly|once|subsequently|now|currently|still|soon|first|originally|initially|' +
  'eventually|personally|quietly|jointly|together|briefly|reportedly|allegedly|supposedly|nearly|' +
  'almost|never|not|no longer|today|himself|herself|themselves|actively|informally|formally|officially|' +
  'successfully) )*';

/** Words that make a statement no fact: denied, wished, planned, doubted. */
export const DOUBT = new RegExp(
  String.raw`\b(?:not|never|no longer|nor|neither|without|nobody|none|declin\w+|refus\w+|reject\w+|turned down|` +
    'passed on|would|could|might|may|should|if|whether|unless|plan(?:s|ned|ning)?|hop(?:es|ed|ing)|' +
    String.raw`wants?|wanted|consider\w*|thinking|thought about|aims?|intend\w*|offer(?:s|ed)? to|rumou?red|` +
    'reportedly|allegedly|supposedly|nearly|almost|fail(?:s|ed)|tried|asked|urged|potential(?:ly)?|' +
    String.raw`possibl[ye]|prospective|would-be|hypothetical\w*|unlike|instead of|rather than|imagine|suppose)\b|` +
    String.raw`n't\b`,
);

/** Words before a subject that make the whole clause no fact. */
export const DOUBT_BEFORE = new RegExp(
  String.raw`\b(?:if|whether|unless|suppose|imagine|in case|rumou?r|hop(?:e|es|ing)|wish|doubts?|den(?:y|ies|ied)|` +
    'wonders?|unclear|unlikely|not (?:sure|clear|true)|false|myth|wants?|asked|expects?|pretends?|looking for|' +
    String.raw`search(?:ing)? for|seeking|needs?|needed|open role)\b`,
  'i',
);

/** Words before a state that put it in the past. `has been` is present, and is told apart by the rules. */
export const PAST = new RegExp(
  String.raw`\b(?:was|were|had|used to|formerly|former|previously|once|past|then|ex|late|retired|outgoing|` +
    String.raw`erstwhile|originally|initially|until recently|in the past|back when)\b|\bex-`,
  'i',
);

/** What behind a state puts it in the past. */
export const PAST_AFTER = new RegExp(
  String.raw`^[^.;]{0,40}?(?:\b(?:until|till)\b|\bbefore (?:joining|moving|founding|leaving|starting|becoming|` +
    String.raw`going|he|she|they|that)\b|\b(?:but|and|then|until (?:he|she|they)) (?:has |have |had )?(?:since ` +
    String.raw`)?(?:left|quit|departed|resigned|retired)\b|\bfrom (?:\w+ )?\d{4} (?:to|until|through|till|-|–) ` +
    String.raw`?(?:\w+ )?\d{4}|\(?\b\d{4} ?[-–—] ?\d{4}\b|\bin the (?:past|\d{2,4}0s)\b|, (?:who|and) (?:has ` +
    String.raw`)?(?:since )?(?:left|died|passed away)\b|\(former(?:ly)?\)|\(past\)|\(alum)`,
);

/** What behind a role or a state says that its holder is gone: `the CEO, B, resigned`. */
export const GONE_AFTER = new RegExp(
  String.raw`^,? ?(?:(?:has|have|had|was|is|just|recently|since|then|later|who|and|but) )*(?:resign|quit|left\b|` +
    'depart|retire|step(?:s|ped|ping)? (?:down|back|away)|died|passed away|fired|laid off|leaving|' +
    String.raw`leaves\b)`,
);

/** Headings under which what is told is over. */
export const PAST_SECTION = new RegExp(
  String.raw`\b(?:previous(?:ly)?|past|former(?:ly)?|earlier|alum(?:ni|na|nus)?|history|experience|career|` +
    String.raw`education|prior|resume|résumé|cv)\b`,
  'i',
);

/** Ends of roles that make a founder; like the lists below a pattern of their last words. */
export const FOUNDER_HEADS =
  '(?:co-?)?founder|founding (?:partner|director|ceo|cto|president|chair|chairman|chairwoman)';
/** Ends of roles that make an investor. */
export const INVESTOR_HEADS = 'investor|backer|shareholder|limited partner';
/** Ends of roles that make an adviser. */
export const ADVISER_HEADS = 'adviser|advisor|mentor|counselor|counsellor';
/** Who leads a place is `CEO of` it; who works there is an `engineer at` it. */
export const LEADER_HEADS =
  '[ce][a-z]{1,3}o|gm|[esa]?vp|president|chair|chairman|chairwoman|chairperson|director|head|owner|' +
  'counsel|general manager|officer|chief|dean|provost|principal|editor|editor-in-chief|superintendent|' +
  'proprietor|managing partner|general partner|publisher|treasurer|secretary|manager';
/** Ends of roles that make an employee and no leader. */
export const STAFF_HEADS =
  'engineer|developer|programmer|architect|designer|analyst|scientist|researcher|technologist|' +
  'technician|mechanic|operator|lead|leader|lawyer|attorney|paralegal|recruiter|partner|associate|' +
  'consultant|specialist|coordinator|administrator|assistant|receptionist|intern|trainee|apprentice|' +
  'fellow|employee|staffer|worker|contractor|representative|rep|salesperson|salesman|saleswoman|seller|' +
  'marketer|strategist|planner|buyer|controller|accountant|bookkeeper|auditor|actuary|underwriter|' +
  'economist|statistician|mathematician|physicist|chemist|biologist|professor|lecturer|instructor|' +
  'teacher|tutor|postdoc|curator|librarian|archivist|writer|journalist|reporter|correspondent|' +
  'columnist|producer|copywriter|translator|photographer|animator|illustrator|nurse|doctor|physician|' +
  'surgeon|therapist|pharmacist|chef|baker|driver|pilot|captain|foreman|supervisor|executive|' +
  'evangelist|advocate|ambassador|liaison|agent|broker|trader|banker|clerk|cashier|inspector|tester|' +
  'staff|welder|electrician|plumber|carpenter|machinist|handyman|(?:team|staff|faculty|crew) member';

/**
 * Words that open a note about somebody and not a role: `Met engineer at A`. Forms in -ed and -ing are told by shape.
 */
export const NOTE_OPENERS = new Set(
  (
    'met saw spoke told knew knows gave got sent heard found became made took wrote brought bought left ' +
    'kept held thought ' +
    'read meet see call ask email contact ping find hire intro thank follow tell give send get know ' +
    'speak talk invite need ' +
    'visit join help wants needs likes dinner lunch coffee breakfast drinks chat feedback advice thanks ' +
    'reminder question'
  ).split(' '),
);
/** Words in -ing that open a role all the same. */
export const ROLE_GERUNDS = new RegExp(
  '^(?:engineering|marketing|consulting|manufacturing|building|training|purchasing|accounting|founding|' +
    'managing|acting|visiting|leading|operating|advertising|trading|testing|planning|brewing|writing|' +
    'licensing|pricing|mining|shipping|banking|computing|nursing|drilling|farming|fundraising|' +
    String.raw`merchandising|publishing|commanding|presiding|contributing|supporting|sitting|standing)$`,
);

/** Words that end a role read backwards: no word of a role is a verb, a pronoun or a preposition. */
export const ROLE_STOPS = new Set(
  (
    'i me my we us our you your he him his she her they them their it its who whom whose which that this ' +
    'these those a an ' +
    'the and or but nor so because if when while as at by for from in into of on onto to with without ' +
    'over under about ' +
    'is are was were be been being am has have had do does did will would can could may might shall should must said ' +
    'says told asked met meet meets knows knew called calls thanks thank via not no every each some any ' +
    'several many most ' +
    'both two three four five few other another more less than then there here where how why what'
  ).split(' '),
);
