// The report of doctor as a person reads it: what is wrong first, with its fix; what is fine in one line each. Pure.

import type { IncompleteField } from '@gbrain/wire/json-document';
import { fixLine } from '@gbrain/wire/render-action';
import type { HumanView } from '../../operation.ts';
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

/** Lines of a report. */
export function doctorLines(
  report: ReportBody & { incomplete?: IncompleteField[] | undefined },
  view: HumanView,
): string {
  const { checks, incomplete = [] } = report;
  const width = Math.max(0, ...checks.map(({ name }) => name.length), ...incomplete.map(({ field }) => field.length));
  const bad = [
    ...checks.filter(({ status }) => status === 'fail'),
    ...checks.filter(({ status }) => status === 'warn'),
  ];
  const fine = checks
    .filter(({ status }) => status === 'ok')
    .map((row) => {
      const word = row.severity === 'info' ? view.dim('info') : view.green('ok  ');
      return `${word}  ${row.name.padEnd(width)}  ${view.dim(row.message)}`;
    });
  const unread = incomplete.map(
    ({ field, reason }) => `${view.yellow('?   ')}  ${field.padEnd(width)}  ${REASON[reason]}`,
  );
  const groups = [[headline(report, view)], bad.flatMap((row) => wrong(row, view)), unread, fine];
  return groups
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
