// The words of a read that can take minutes: that it began, that it goes on, that a signal cut it off.
// Source: AGENT_OPERATOR v1, Slow reads.
import type { EndingSignal } from '@gbrain/wire/exit';
import {
  type CutRead,
  cutReadDocument,
  cutReadLine,
  readingLine,
  STILL_READING_MS,
  stillReadingLine,
} from '@gbrain/wire/json-document';

/** A slow read in progress. */
export interface SlowRead {
  /** What a signal leaves of it. */
  cut(signal: EndingSignal): { line: string; document: object };
  end(): void;
}

/** Where its lines go: kept lines for a program that reads them, a line that is drawn over for a person. */
export interface SlowReadTalk {
  line(text: string): void;
  isQuiet: boolean;
}

/** Announces a read and goes on saying that it goes on, until `end`. */
export function startSlowRead(what: string, { line, isQuiet }: SlowReadTalk): SlowRead {
  const startedMs = performance.now();
  const elapsedMs = () => performance.now() - startedMs;
  if (!isQuiet) line(readingLine(what));
  const timer = setInterval(() => {
    if (!isQuiet) line(stillReadingLine(what, elapsedMs()));
  }, STILL_READING_MS);
  timer.unref();
  return {
    cut: (signal) => {
      const cut: CutRead = { signal, read: what, elapsedMs: elapsedMs() };
      return { line: cutReadLine(cut), document: cutReadDocument(cut) };
    },
    end: () => clearInterval(timer),
  };
}
