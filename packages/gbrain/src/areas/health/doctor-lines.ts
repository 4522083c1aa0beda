// The report of doctor as a person reads it: what is wrong first, with its fix; what is fine in one line each. Pure.

import type { IncompleteField } from '@gbrain/wire/json-document';
import { fixLine } from '@gbrain/wire/render-action';
import type { HumanView } from '../../operation.ts';
import { wrapWords } from '../../render/text-width.ts';
import type { ReportBody, ReportRow } from './report.ts';

const REASON = { not_read: 'not read', bounded: 'took too long', budget: 'no time left' } as const;

function wrong(row: ReportRow, view: HumanView): string[] {
  const word = row.status === 'fail' ? view.red('FAIL') : view.yellow('WARN');
  const step = row.fix ? (fixLine(row.fix, 'cli') ?? row.fix.why) : `Fix: none (${row.fix_unavailable_reason ?? ''})`;
  return [`${word}  ${view.bold(row.name)}  ${row.message}`, `      ${step}`];
}

function headline({ status, health_score, checks }: ReportBody, view: HumanView): string {
  const count = (wanted: ReportRow['status'], one: string) => {
    const n = checks.filter((row) => row.status === wanted).length;
    return n === 0 ? [] : [`${n} ${one}${n === 1 ? '' : 's'}`];
  };
  const text = status === 'healthy' ? 'Healthy' : [...count('fail', 'failure'), ...count('warn', 'warning')].join(', ');
  const colour = { healthy: view.green, warnings: view.yellow, unhealthy: view.red }[status];
  return `${view.bold(colour(text))}  ${view.dim(`score ${health_score} of 100`)}`;
}

/** Words under themselves, from the column at which they begin. */
function under(indent: number, text: string, view: HumanView): string {
  const [first = '', ...rest] = wrapWords(text, Math.max(24, view.columns - indent));
  return [first, ...rest.map((line) => ' '.repeat(indent) + line)].map(view.dim).join('\n');
}

/** Lines of a report. */
export function doctorLines(
  report: ReportBody & { incomplete?: IncompleteField[] | undefined },
  view: HumanView,
): string {
  const { checks, incomplete = [] } = report;
  const width = Math.max(0, ...checks.map(({ name }) => name.length), ...incomplete.map(({ field }) => field.length));
  const of = (wanted: ReportRow['status']) => checks.filter(({ status }) => status === wanted);
  const fine = of('ok').map((row) => {
    const word = row.severity === 'info' ? view.dim('info') : view.green('ok  ');
    const line = `${word}  ${row.name.padEnd(width)}  ${under(width + 8, row.message, view)}`;
    // What is nobody's choice yet has a step too; what was chosen has not.
    const step = row.severity === 'info' || !row.fix ? undefined : fixLine(row.fix, 'cli');
    return step === undefined ? line : `${line}\n${' '.repeat(width + 8)}${view.dim(step)}`;
  });
  const unread = incomplete.map(
    ({ field, reason }) => `${view.yellow('?   ')}  ${field.padEnd(width)}  ${REASON[reason]}`,
  );
  const groups = [
    [headline(report, view)],
    [...of('fail'), ...of('warn')].flatMap((row) => wrong(row, view)),
    unread,
    fine,
  ];
  return groups
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
