// Credentials in a text by shape: the forms that their issuers document, and assignments of a high-entropy value. Pure
// and quick, so it also stands in front of every read. What is written passes the detector, which knows more rules.
// A finding names its rule and place, never the value.

/** A credential in a text. */
export interface SecretFinding {
  rule: string;
  start: number;
  end: number;
}

interface Rule {
  name: string;
  pattern: RegExp;
  /** Index of the group that is the secret; 0 is the whole match. */
  group?: number;
  /** A further test of the value. */
  isSecret?: (value: string) => boolean;
}

const ALNUM = '[A-Za-z0-9]';

/** Bits a character, of a text that is long enough to tell. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const PLACEHOLDER = /^(?:x+|\*+|\.+|<.*>|\$\{?.*|your[-_ ].*|example.*|changeme|redacted|null|none|true|false)$/i;
const isRandom = (value: string): boolean =>
  !PLACEHOLDER.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) >= 3.2;

const SECRET_NAME = 'api[_-]?key|secret(?:[_-]?key)?|access[_-]?key|token|private[_-]?key|client[_-]?secret';

/** Prefixes and lengths as the issuers document them; the last rules are generic. */
const RULES: readonly Rule[] = [
  {
    name: 'private_key',
    pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z ]+-----|[\s\S]*)/g,
  },
  { name: 'aws_access_key', pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g },
  { name: 'github_token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b/g },
  { name: 'gitlab_token', pattern: /\bgl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,}/g },
  { name: 'anthropic_key', pattern: /\bsk-ant-[A-Za-z0-9_-]{20,}/g },
  {
    name: 'openai_key',
    pattern: /\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}/g,
    isSecret: (v) => /\d/.test(v),
  },
  { name: 'google_api_key', pattern: /\bAIza[A-Za-z0-9_-]{35}/g },
  { name: 'google_oauth', pattern: /\b(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})/g },
  { name: 'slack_token', pattern: /\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})/g },
  { name: 'slack_webhook', pattern: /https:\/\/hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/_-]{20,}/g },
  { name: 'discord_webhook', pattern: /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{40,}/g },
  { name: 'stripe_key', pattern: /\b(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{20,}/g },
  { name: 'twilio_key', pattern: /\bSK[0-9a-f]{32}\b/g },
  { name: 'sendgrid_key', pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g },
  { name: 'npm_token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'pypi_token', pattern: /\bpypi-AgE[A-Za-z0-9_-]{50,}/g },
  { name: 'huggingface_token', pattern: /\bhf_[A-Za-z0-9]{30,}\b/g },
  { name: 'databricks_token', pattern: /\bdapi[0-9a-f]{32}\b/g },
  { name: 'digitalocean_token', pattern: /\bdo[oprt]_v1_[0-9a-f]{64}\b/g },
  { name: 'shopify_token', pattern: /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g },
  { name: 'telegram_token', pattern: /\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/g },
  { name: 'vault_token', pattern: /\bhv[sbr]\.[A-Za-z0-9_-]{24,}/g },
  { name: 'age_key', pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/g },
  { name: 'jwt', pattern: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g },
  {
    name: 'url_password',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:([^\s:/@]{3,200})@[^\s/]/gi,
    group: 1,
    isSecret: (value) => !PLACEHOLDER.test(value),
  },
  {
    name: 'bearer_token',
    pattern: new RegExp(`\\bbearer\\s+(${ALNUM}[A-Za-z0-9._~+/-]{19,}=*)`, 'gi'),
    group: 1,
    isSecret: isRandom,
  },
  {
    name: 'assigned_secret',
    pattern: new RegExp(
      `\\b[a-z0-9_]*(?:${SECRET_NAME})["']?\\s*(?:=|:|\\bis\\b)\\s*["'\`]?([\\w\\-./+=]{16,500})`,
      'gi',
    ),
    group: 1,
    isSecret: isRandom,
  },
  {
    name: 'assigned_password',
    pattern: /\b(?:password|passwd|passphrase|pwd)["']?\s*(?:=|:|\bis\b)\s*["'`]?([^\s"'`,;]{6,200})/gi,
    group: 1,
    isSecret: (value) => !PLACEHOLDER.test(value) && /[^A-Za-z]/.test(value.replace(/[.!?]+$/, '')),
  },
];

/** What every finding has: a long run of the letters of keys, or a word of the rules that take shorter values. */
const MAY_HOLD = /[\w\-./+=:~]{16}|pass(?:word|wd|phrase)|pwd|-----BEGIN|:\/\//i;

/** Credentials of a known shape in a text, in order, none inside another. */
export function findSecrets(text: string): SecretFinding[] {
  if (!MAY_HOLD.test(text)) return [];
  const found: SecretFinding[] = [];
  for (const { name, pattern, group = 0, isSecret } of RULES) {
    for (const match of text.matchAll(pattern)) {
      const value = match[group] ?? '';
      if (value === '' || (isSecret && !isSecret(value))) continue;
      const start = match.index + (group === 0 ? 0 : match[0].lastIndexOf(value));
      const end = start + value.length;
      if (!found.some((one) => start < one.end && end > one.start)) found.push({ rule: name, start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** The text with each finding replaced by a mark that names its rule. */
export function strike(text: string, findings: readonly SecretFinding[]): string {
  let out = '';
  let at = 0;
  for (const { rule, start, end } of findings) {
    out += `${text.slice(at, start)}[redacted ${rule}]`;
    at = end;
  }
  return out + text.slice(at);
}

/** The text with every credential of a known shape replaced: what a reader other than the owner is shown. */
export const redactSecrets = (text: string): string => strike(text, findSecrets(text));
