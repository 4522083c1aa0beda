// Scrubbing takes every sealed value out, whole or in pieces, plain or escaped, and leaves everything else as it was.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber, SCRUBBED } from './scrub.ts';

const secret = fc
  .string({ minLength: 8, maxLength: 20 })
  .filter((value) => !SCRUBBED.includes(value) && !value.includes(SCRUBBED));

describe('a scrubber', () => {
  it('leaves no value in text, and text without values alone', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const scrubber = createScrubber([value]);
        expect(scrubber.scrub(before + value + after)).not.toContain(value);
        if (!before.includes(value)) expect(scrubber.scrub(before)).toBe(before);
      }),
    );
  });

  it('keeps JSON valid, whatever the value and its neighbours', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const { scrubJson } = createScrubber([value]);
        const clean = JSON.parse(
          scrubJson(JSON.stringify({ text: before + value + after, list: [value], [value]: 1 })),
        );
        expect(JSON.stringify(clean.list)).not.toContain(JSON.stringify(value).slice(1, -1));
        expect(clean.text).not.toContain(value);
        expect(Object.keys(clean)).not.toContain(value);
      }),
    );
    expect(createScrubber(['nabcdefgh']).scrubJson('{"a":"\\nabcdefgh"}')).toBe('{"a":"\\nabcdefgh"}');
  });

  it('finds a value that arrives in pieces, and says the rest at the end', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.array(fc.nat(40)), (value, around, cuts) => {
        const whole = `${around}${value}${around}`;
        const scrubber = createScrubber([value]);
        const stream = scrubber.stream();
        let out = '';
        let at = 0;
        for (const cut of cuts) {
          out += stream.push(whole.slice(at, at + cut));
          at += cut;
        }
        out += stream.push(whole.slice(at)) + stream.end();
        expect(out).not.toContain(value);
        expect(out).toBe(scrubber.scrub(whole));
      }),
    );
  });

  it('does not look for values that are too short to be told from words', () => {
    expect(createScrubber(['abc']).scrub('abcabc')).toBe('abcabc');
  });
});
