// Stored text inside a prompt, and JSON inside an answer: what others wrote stays data on the way there, and what a
// model says is read without trust on the way back. Pure.
import { neutralizeMarkers } from '@gbrain/wire/markers';

/** Text that can close no `<tag>` of a prompt and open no block of ours. */
export const asData = (text: string, tag: string): string =>
  neutralizeMarkers(text).replace(new RegExp(`<(?=/?\\s*${tag}\\b)`, 'giu'), '(');

/** The JSON object in a model's answer, prose around it and a code fence left out; undefined where there is none. */
export function jsonObjectIn(text: string): Record<string, unknown> | undefined {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0 || end <= start) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
