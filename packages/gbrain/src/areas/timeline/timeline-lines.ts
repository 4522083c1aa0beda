// Dated entries as a person reads them: the day, what happened, and what was said of it below. Pure.
import type { HumanView } from '../../operation.ts';
import { plainLine, wrapWords } from '../../render/text-width.ts';

interface Entry {
  date: string;
  source: string;
  summary: string;
  detail: string;
}

const UNDER = ' '.repeat('2026-01-01  '.length);

/** Entries, oldest first; a day that has several is named once. */
export function timelineLines(entries: readonly Entry[], view: HumanView): string {
  if (entries.length === 0) return 'No dated entries.';
  const room = Math.max(24, view.columns - UNDER.length);
  const below = (text: string) => (text === '' ? [] : wrapWords(plainLine(text), room));
  return entries
    .flatMap(({ date, source, summary, detail }, i) => {
      const isSameDay = Number.isFinite(view.columns) && entries[i - 1]?.date === date;
      const [first = '', ...more] = below(summary);
      const origin = source === '' ? '' : `  ${view.dim(plainLine(source))}`;
      const lines = more.length > 0 ? [...more.slice(0, -1), `${more.at(-1)}${origin}`] : [];
      return [
        `${isSameDay ? UNDER : `${view.bold(date)}  `}${first}${more.length > 0 ? '' : origin}`,
        ...lines.map((line) => UNDER + line),
        ...below(detail).map((line) => UNDER + view.dim(line)),
      ];
    })
    .join('\n');
}
