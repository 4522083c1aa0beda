// Figures against values worked out by hand, and the laws of intervals, samples and literals.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresOf, meansOf, pairedDifference, sampleOf, wilson } from './metrics.ts';
import { readLiteral } from './python-literal.ts';

const gold = (...keys: string[]): Map<string, number> => new Map(keys.map((key) => [key, 1]));

describe('figures of one ranking', () => {
  it('counts what is worked out by hand', () => {
    const figures = figuresOf(['x', 'a', 'y', 'z', 'w', 'v', 'b'], gold('a', 'b'));
    expect(figures).toMatchObject({
      'any@1': 0,
      'any@5': 1,
      'strict@5': 0,
      'strict@10': 1,
      'R@5': 0.5,
      'R@10': 1,
      MRR: 0.5,
    });
    // (1/log2(3) + 1/log2(8)) / (1 + 1/log2(3))
    expect(figures['nDCG@10']).toBeCloseTo((1 / Math.log2(3) + 1 / 3) / (1 + 1 / Math.log2(3)), 12);
  });

  it('weighs grades in nDCG and counts a key once', () => {
    const graded = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    expect(figuresOf(['a', 'b'], graded)['nDCG@10']).toBe(1);
    expect(figuresOf(['b', 'a'], graded)['nDCG@10']).toBeLessThan(1);
    expect(figuresOf(['a', 'a'], graded)['R@5']).toBe(0.5);
    expect(figuresOf([], graded)).toMatchObject({ MRR: 0, 'R@10': 0, 'nDCG@10': 0 });
  });
});

describe('many questions', () => {
  it('gives the interval of Wilson as published', () => {
    // 8 of 10: 0.4902 to 0.9433 (Wilson 1927, as in Agresti and Coull 1998).
    const { low, high } = wilson(0.8, 10);
    expect(low).toBeCloseTo(0.4902, 3);
    expect(high).toBeCloseTo(0.9433, 3);
    expect(wilson(1, 20).high).toBe(1);
    expect(wilson(0, 0)).toEqual({ value: 0, low: 0, high: 1 });
  });

  it('draws the same from the same seed, and another from another', () => {
    const differences = Array.from({ length: 40 }, (_, i) => Math.sin(i * i));
    expect(pairedDifference(differences, 5)).toEqual(pairedDifference(differences, 5));
    expect(pairedDifference(differences, 5)).not.toEqual(pairedDifference(differences, 6));
    const items = Array.from({ length: 100 }, (_, i) => i);
    expect(sampleOf(items, 10, 1)).toEqual(sampleOf(items, 10, 1));
    expect(sampleOf(items, 10, 1)).not.toEqual(sampleOf(items, 10, 2));
    expect(sampleOf(items, 10, 1)).toHaveLength(10);
    expect(sampleOf(items, 200, 1)).toEqual(items);
  });

  it('means every figure over all questions', () => {
    expect(meansOf([{ a: 1 }, { a: 0 }, { a: 1 }, { a: 1 }])).toEqual({ a: 0.75 });
  });
});

/** A value as Python writes it. */
function toPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `(${value.map((one) => `${toPython(one)},`).join(' ')})`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, one]) => `${toPython(key)}: ${toPython(one)}`)
      .join(', ')}}`;
  return String(value);
}

describe('literals', () => {
  const values = fc.jsonValue({ maxDepth: 3 });

  it('reads any JSON as JSON.parse does, and the same value written as Python', () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        expect(readLiteral(text)).toEqual(JSON.parse(text));
        expect(readLiteral(toPython(JSON.parse(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what is no value, with its place, and runs nothing', () => {
    for (const text of ['', '{', "{'a' 1}", "'open", '[1 2]', '1 2', 'process.exit(9)', '['.repeat(5000)])
      expect(() => readLiteral(text), text.slice(0, 20)).toThrow(/character \d+/);
  });
});
