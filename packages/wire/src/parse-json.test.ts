// JSON that is nested too deep is refused before it is parsed; everything else is parsed as ever.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_DEPTH_MAX, parseJson } from './parse-json.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('parseJson', () => {
  it('takes what is nested as deep as allowed, and no deeper', () => {
    expect(() => parseJson(nested(JSON_DEPTH_MAX))).not.toThrow();
    expect(() => parseJson(nested(JSON_DEPTH_MAX + 1))).toThrow(SyntaxError);
    expect(() => parseJson(`{"a":${'{"b":'.repeat(JSON_DEPTH_MAX)}1${'}'.repeat(JSON_DEPTH_MAX + 1)}`)).toThrow(
      'deeper',
    );
  });

  it('counts no bracket inside a string, whatever is escaped there', () => {
    const text = JSON.stringify(['[{'.repeat(JSON_DEPTH_MAX), `\\"${'['.repeat(JSON_DEPTH_MAX)}`, '\\']);
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('gives what JSON.parse gives, and fails where it fails', () => {
    const padded = fc.json().map((text) => `${text}${' '.repeat(JSON_DEPTH_MAX)}`);
    fc.assert(
      fc.property(padded, (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseJson(`{"a":"${'x'.repeat(JSON_DEPTH_MAX)}`)).toThrow(SyntaxError);
  });
});
