// The lint summary on a write's reply: of the text that the caller sees, as data and as lines.
import type { Z } from '../../operation.ts';
import { type LintReport, lintPage } from './lint.ts';
import { parsePage } from './page.ts';
import type { Slug } from './slug.ts';

/** Findings of a text; the zero report for a text that is no page, which the commit refuses by itself. */
export function lintText(text: string, slug: Slug): LintReport {
  const parsed = parsePage(text, { slug });
  if (parsed.ok) return lintPage(parsed.page);
  return { error_count: 0, warning_count: 0, top_findings: [], details_truncated: false, by_validator: {} };
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
export function lintLines(lint: LintReport | undefined): string[] {
  if (!lint) return [];
  const rows = lint.top_findings.map(
    ({ severity, line, message }) => `  ${severity}${line === undefined ? '' : ` line ${line}`}: ${message}`,
  );
  const more = lint.error_count + lint.warning_count - lint.top_findings.length;
  return more > 0 ? [...rows, `  and ${more} more`] : rows;
}
