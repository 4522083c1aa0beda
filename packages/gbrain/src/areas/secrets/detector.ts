// The one detector of credentials for everything that is written: our shapes together with a rule set that is kept up
// with what issuers hand out (secretlint's recommended preset). Its rules are loaded at the first use, because they
// take longer to load than a short command takes to run.
import type { SecretLintRuleReportHandler, SecretLintSourceCode } from '@secretlint/types';
import { findSecrets, type SecretFinding, strike } from './shapes.ts';

/** Finds and strikes credentials. Both are pure once the detector is loaded. */
export interface SecretDetector {
  /** Credentials in a text, in order, none inside another; a finding holds its rule and place, never the value. */
  find(text: string): SecretFinding[];
  /** The text with every credential replaced by `[redacted <rule>]`, and how many there were. */
  redact(text: string): { text: string; found: number };
}

/** A rule of the set, made once. */
interface KeptRule {
  name: string;
  run(source: SecretLintSourceCode): unknown;
}

/** Lets a text switch rules off by a comment, which a text that is scanned may not. */
const NOT_FOR_US = 'filter-comments';

/** Makes every rule of the set; what a rule reports while it runs goes to `report`. */
async function keptRules(report: (finding: SecretFinding) => void): Promise<KeptRule[]> {
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend');
  const rules: KeptRule[] = [];
  creator.create(
    {
      sharedOptions: {},
      registerRule(rule) {
        const name = rule.meta.id.replace(/^.*secretlint-rule-/, '');
        if (name === NOT_FOR_US) return;
        const handler: SecretLintRuleReportHandler = rule.create(
          {
            sharedOptions: {},
            createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: {} }),
            report: ({ range: [start, end] }) => report({ rule: name.replaceAll('-', '_'), start, end }),
            ignore: () => undefined,
          },
          // Every rule of the set works without options.
          {} as never,
        );
        if (handler.file) rules.push({ name, run: handler.file });
      },
    },
    {},
  );
  return rules;
}

/** Findings that touch become one, under the name of the first: no part of a credential stays between two rules. */
function joined(findings: readonly SecretFinding[]): SecretFinding[] {
  const out: SecretFinding[] = [];
  for (const one of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1);
    if (last && one.start < last.end) last.end = Math.max(last.end, one.end);
    else out.push({ ...one });
  }
  return out;
}

async function load(): Promise<SecretDetector> {
  let found: SecretFinding[] = [];
  const rules = await keptRules((finding) => found.push(finding));
  const find = (text: string): SecretFinding[] => {
    found = [];
    const source = { content: text, filePath: 'text.md', physicalFilePath: undefined, ext: '.md', contentType: 'text' };
    // The rules for text report before they return; the one that does not reads key stores, which no text is.
    for (const rule of rules) rule.run(source as unknown as SecretLintSourceCode);
    const ours = findSecrets(text);
    const others = found;
    found = [];
    return joined([...ours, ...others]);
  };
  return {
    find,
    redact: (text) => {
      const findings = find(text);
      return { text: strike(text, findings), found: findings.length };
    },
  };
}

let loaded: Promise<SecretDetector> | undefined;

/** The detector; its rules are loaded once a process. Rejects when they cannot be, so nothing is written unscanned. */
export function secretDetector(): Promise<SecretDetector> {
  loaded ??= load();
  return loaded;
}
