// The log on stderr: one readable line an event, secrets taken out. It decides nothing and keeps nothing.
import { flattenLine } from '@gbrain/wire/text';

/** Facts beside the words of a line. */
export type LogFacts = Record<string, string | number | boolean | undefined>;

/** Writes lines. `info` is the course of things, `warn` what somebody should look at, `error` what is broken. */
export interface Log {
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}

/** A log that hands finished lines to `write`. `scrub` takes sealed values out of each. */
export function createLog(write: (line: string) => void, nowMs: () => number, scrub: (text: string) => string): Log {
  const line = (level: string, message: string, facts: LogFacts = {}) => {
    const pairs = Object.entries(facts).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}=${show(value)}`],
    );
    const time = new Date(nowMs()).toISOString();
    write(`${scrub([time, level, flattenLine(message), ...pairs].join(' '))}\n`);
  };
  return {
    info: (message, facts) => line('info ', message, facts),
    warn: (message, facts) => line('warn ', message, facts),
    error: (message, facts) => line('error', message, facts),
  };
}

/** A log that says nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

function show(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const flat = flattenLine(value).slice(0, 2000);
  return /^[^\s"=]+$/.test(flat) ? flat : JSON.stringify(flat);
}
