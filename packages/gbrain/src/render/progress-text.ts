// How far a long run is, as a bar for a person and as a line for a log: share, rate and time left. Pure: the time is
// handed in.
import type { Progress } from '../context.ts';

/** How far a stage of a run is, and how fast it goes. */
export interface Pace extends Progress {
  /** Things a second since the stage began; absent while it is too young to tell. */
  rate?: number;
  /** Milliseconds until the stage is over at this rate; absent where no end is known. */
  leftMs?: number;
}

/** A stage younger than this has no rate worth telling. */
const YOUNG_MS = 1_000;
const BAR_MAX = 30;
const BAR_MIN = 5;

/** Follows a run from stage to stage; a stage is what the run says that it does. */
export class PaceKeeper {
  #stage: { what: string; sinceMs: number; from: number } | undefined;

  /** The pace of a run that is so far now. */
  at(progress: Progress, nowMs: number): Pace {
    const { what, done, total } = progress;
    if (this.#stage?.what !== what || done < this.#stage.from) this.#stage = { what, sinceMs: nowMs, from: done };
    const { sinceMs, from } = this.#stage;
    const rate = nowMs - sinceMs < YOUNG_MS ? 0 : ((done - from) * 1000) / (nowMs - sinceMs);
    if (rate <= 0) return progress;
    const leftMs = total === undefined || done >= total ? undefined : ((total - done) * 1000) / rate;
    return { ...progress, rate, ...(leftMs !== undefined && { leftMs }) };
  }
}

/** A time that somebody waits for: `8 s`, `3 min 20 s`, `1 h 5 min`. */
export function waitText(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const rateText = (rate: number): string => `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`;

const share = (done: number, total: number): number => Math.min(1, done / Math.max(total, 1));

const percent = (done: number, total: number): string => `${Math.floor(share(done, total) * 100)} %`;

function bar(part: number, width: number): string {
  const full = Math.floor(part * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]`;
}

/** One line of at most `columns`: what, a bar where the end is known and there is room, the count, rate, time left. */
export function paceBar({ what, done, total, rate, leftMs }: Pace, columns: number): string {
  const words = [
    total === undefined ? String(done) : `${done}/${total} ${percent(done, total)}`,
    ...(rate === undefined ? [] : [rateText(rate)]),
    ...(leftMs === undefined ? [] : [`${waitText(leftMs)} left`]),
  ];
  const line = [what, ...words].join('  ');
  // The last column stays free: a terminal that is written to its edge begins a new line.
  const room = columns - 1 - line.length - 4;
  if (total === undefined || room < BAR_MIN) return line.slice(0, Math.max(0, columns - 1));
  return [what, bar(share(done, total), Math.min(BAR_MAX, room)), ...words].join('  ');
}

/** The same in a sentence, for what keeps its lines. */
export function paceLine({ what, done, total, rate, leftMs }: Pace): string {
  const count = total === undefined ? `${done}` : `${done} of ${total} (${percent(done, total)})`;
  const pace = rate === undefined ? '' : `, ${rateText(rate)}`;
  return `${what}: ${count}${pace}${leftMs === undefined ? '' : `, ${waitText(leftMs)} left`}`;
}
