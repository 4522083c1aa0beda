// The lint summary on a write's reply: counts, the worst few findings, a count by validator. Pure.
import type { Z } from '../../operation.ts';
import { parsePage } from './page.ts';
import type { Slug } from './slug.ts';

/** One finding of the linter. */
export interface Finding {
  validator: string;
  severity: 'error' | 'warning';
  line?: number;
  message: string;
  hint: string;
}

/** Source: facts/contract G.7. */
export interface WriterLint {
  error_count: number;
  warning_count: number;
  top_findings: Finding[];
  details_truncated: boolean;
  by_validator: Record<string, number>;
}

/** Findings that a reply carries. */
const TOP = 5;

/** Errors first, then in the order of the page. */
export function lintReply(findings: readonly Finding[]): WriterLint {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity !== 'error');
  const counts = new Map<string, number>();
  for (const { validator } of findings) counts.set(validator, (counts.get(validator) ?? 0) + 1);
  return {
    error_count: errors.length,
    warning_count: warnings.length,
    top_findings: [...errors, ...warnings].slice(0, TOP),
    details_truncated: findings.length > TOP,
    by_validator: Object.fromEntries(counts),
  };
}

/** Schema of the summary. */
export const writerLintShape = (z: Z) =>
  z.object({
    error_count: z.number(),
    warning_count: z.number(),
    top_findings: z.array(
      z.object({
        validator: z.string(),
        severity: z.enum(['error', 'warning']),
        line: z.number().optional(),
        message: z.string(),
        hint: z.string(),
      }),
    ),
    details_truncated: z.boolean(),
    by_validator: z.record(z.string(), z.number()),
  });

/** Findings for a person, a line each. */
export function lintLines(lint: WriterLint | undefined): string[] {
  if (!lint) return [];
  const rows = lint.top_findings.map(
    ({ severity, line, message }) => `  ${severity}${line === undefined ? '' : ` line ${line}`}: ${message}`,
  );
  const more = lint.error_count + lint.warning_count - lint.top_findings.length;
  return more > 0 ? [...rows, `  and ${more} more`] : rows;
}

/** Findings of a text that is a page. */
export function lintFindings(text: string, slug: Slug): Finding[] {
  const parsed = parsePage(text, { slug });
  if (!parsed.ok) return [];
  return parsed.page.warnings.map(({ code, line, message }) => ({
    validator: code,
    severity: 'warning',
    line,
    message,
    hint: 'Write the field as it is meant.',
  }));
}
