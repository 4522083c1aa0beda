// The vector arm against a full scan over the stored values: what it finds, whom it shows, what a snapshot keeps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openKernel } from './kernel.ts';
import { type StoredVector, VectorIndex } from './vector-index.ts';

const DIMENSIONS = 200;

/** Numbers from a seed (a linear congruence is enough here). */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A stored vector near one of a few themes, as embeddings of texts are. */
function stored(pageId: number, chunkIndex: number, random: () => number): StoredVector {
  const theme = numbersFrom(Math.floor(random() * 40));
  const floats = Float32Array.from({ length: DIMENSIONS }, () => theme() - 0.5 + (random() - 0.5) * 1.2);
  return quantized(pageId, chunkIndex, floats);
}

function quantized(pageId: number, chunkIndex: number, floats: Float32Array): StoredVector {
  const most = Math.max(...floats.map(Math.abs));
  const values = Int8Array.from(floats, (value) => Math.round((value / most) * 127));
  return { pageId, chunkIndex, values, scale: 1 / Math.hypot(...values) };
}

const toFloats = ({ values, scale }: StoredVector): Float32Array => Float32Array.from(values, (one) => one * scale);

function cosine(query: Float32Array, one: StoredVector): number {
  let sum = 0;
  one.values.forEach((value, i) => {
    sum += value * one.scale * query[i]!;
  });
  return sum / Math.hypot(...query);
}

function fullScan(all: readonly StoredVector[], query: Float32Array, k: number): StoredVector[] {
  const scored = all.map((one) => ({ one, cosine: cosine(query, one) }));
  return scored
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, k)
    .map(({ one }) => one);
}

const nameOf = (one: { pageId: number; chunkIndex?: number; chunk?: number }): string =>
  `${one.pageId}:${one.chunkIndex ?? one.chunk}`;

function fill(count: number, seed: number): { index: VectorIndex; all: StoredVector[] } {
  const random = numbersFrom(seed);
  const all = Array.from({ length: count }, (_, i) => stored(1 + Math.floor(i / 3), i % 3, random));
  const index = new VectorIndex(DIMENSIONS);
  index.put(all);
  return { index, all };
}

const everyone = (): boolean => true;

describe('the kernel', () => {
  it('counts differing bits and sums products as plain loops do', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ minLength: 96, maxLength: 96 }),
        (query, rows) => {
          const kernel = openKernel();
          const bytes = new Uint8Array(kernel.memory.buffer);
          bytes.set(query, 0);
          bytes.set(rows, 1024);
          kernel.differences(1024, 0, 4096, 3, 32);
          const found = [...new Uint16Array(kernel.memory.buffer, 4096, 3)];
          const bitsOf = (byte: number): number => byte.toString(2).replaceAll('0', '').length;
          expect(found).toEqual(
            [0, 1, 2].map((row) => query.reduce((n, byte, i) => n + bitsOf(byte ^ rows[row * 32 + i]!), 0)),
          );

          const numbers = Int16Array.from({ length: 32 }, (_, i) => (query[i]! - 128) * 60);
          new Int16Array(kernel.memory.buffer, 8192, 32).set(numbers);
          new Uint32Array(kernel.memory.buffer, 16384, 2).set([1024 + 64, 1024]);
          kernel.products(16384, 8192, 20480, 2, 32);
          const signed = new Int8Array(rows.buffer);
          const product = (row: number): number =>
            numbers.reduce((sum, one, i) => sum + one * signed[row * 32 + i]!, 0);
          expect([...new Int32Array(kernel.memory.buffer, 20480, 2)]).toEqual([product(2), product(0)]);
        },
      ),
    );
  });
});

describe('the vector arm', () => {
  it('finds at least 99 of 100 of what a full scan finds', () => {
    const { index, all } = fill(6_000, 3);
    const random = numbersFrom(99);
    let found = 0;
    for (let i = 0; i < 20; i++) {
      const query = toFloats(stored(0, 0, random));
      const names = new Set(index.search(query, 20, everyone).hits.map(nameOf));
      found += fullScan(all, query, 20).filter((one) => names.has(nameOf(one))).length;
    }
    expect(found).toBeGreaterThanOrEqual(0.99 * 400);
  });

  it('ranks among the admitted pages alone, however few they are', () => {
    const { index, all } = fill(6_000, 4);
    const query = toFloats(all[5]!);
    const admits = (pageId: number): boolean => pageId % 200 === 0;
    const names = index.search(query, 20, admits).hits.map(nameOf);
    const wanted = fullScan(
      all.filter((one) => admits(one.pageId)),
      query,
      20,
    ).map(nameOf);
    expect(new Set(names)).toEqual(new Set(wanted));
    expect(names).toHaveLength(20);
  });

  it('shows a changed chunk as it is now and a removed page never', () => {
    const { index, all } = fill(300, 5);
    const query = toFloats(all[10]!);
    const first = index.search(query, 1, everyone).hits[0]!;
    expect(first).toMatchObject({ pageId: 4, chunk: 1 });
    expect(first.cosine).toBeCloseTo(1, 3);
    index.put([{ ...all[200]!, pageId: 4, chunkIndex: 1 }]);
    expect(index.search(query, 5, everyone).hits.map(nameOf)).not.toContain('4:1');
    const before = index.stats().vectors;
    index.remove([7]);
    expect(index.stats().vectors).toBe(before - 3);
    expect(index.search(query, 300, everyone).hits.some((one) => one.pageId === 7)).toBe(false);
    index.put([{ ...all[10]!, pageId: 500, chunkIndex: 0 }]);
    expect(index.search(query, 1, everyone).hits[0]).toMatchObject({ pageId: 500, chunk: 0 });
    expect(index.search(query, 1000, everyone).hits).toHaveLength(298);
  });

  it('answers alike whatever the order of arrival, and after a snapshot', () => {
    const { all } = fill(3_000, 6);
    const forward = new VectorIndex(DIMENSIONS);
    forward.put(all);
    const backward = new VectorIndex(DIMENSIONS);
    backward.put(all.map((one) => ({ ...one, pageId: one.pageId + 5000 })));
    backward.remove(all.map((one) => one.pageId + 5000));
    backward.put([...all].reverse());
    const stamp = { incarnation: 'a', position: '7', signature: 's' };
    const loaded = VectorIndex.load(forward.snapshot(stamp), { ...stamp, dimensions: DIMENSIONS });
    if (!loaded.ok) throw new Error(loaded.reason);
    expect(loaded.stamp.position).toBe('7');
    const random = numbersFrom(77);
    for (let i = 0; i < 10; i++) {
      const query = toFloats(stored(0, 0, random));
      const answer = forward.search(query, 20, everyone).hits;
      const spread = forward.spread(query, everyone);
      for (const other of [backward, loaded.index]) {
        expect(other.search(query, 20, everyone).hits).toEqual(answer);
        expect(other.spread(query, everyone)).toEqual(spread);
        expect(other.nearestOf(query, [3, 900])).toEqual(forward.nearestOf(query, [3, 900]));
      }
    }
    loaded.index.put([stored(9_999, 0, random)]);
    expect(loaded.index.stats().vectors).toBe(3_001);
  });

  it('refuses snapshots of another brain, another profile, a cut and a flipped bit', () => {
    const stamp = { incarnation: 'a', position: '7', signature: 's' };
    const expected = { ...stamp, dimensions: DIMENSIONS };
    const bytes = fill(30, 8).index.snapshot(stamp);
    const reasonOf = (changed: Uint8Array, other = {}): string => {
      const loaded = VectorIndex.load(changed, { ...expected, ...other });
      return loaded.ok ? 'none' : loaded.reason;
    };
    expect(reasonOf(bytes)).toBe('none');
    expect(reasonOf(bytes, { incarnation: 'b' })).toBe('other_brain');
    expect(reasonOf(bytes, { signature: 't' })).toBe('other_profile');
    expect(reasonOf(bytes, { dimensions: 384 })).toBe('other_profile');
    expect(reasonOf(bytes.slice(0, -8))).toBe('truncated');
    expect(reasonOf(bytes.map((byte, i) => (i === bytes.length - 9 ? byte ^ 1 : byte)))).toBe('checksum');
  });

  it('leaves out vectors and refuses queries that compare with nothing', () => {
    const index = new VectorIndex(DIMENSIONS);
    const good = stored(1, 0, numbersFrom(1));
    const bad = [
      { ...good, scale: Number.NaN },
      { ...good, scale: 0 },
      { ...good, values: good.values.slice(1) },
      { ...good, values: good.values.map(() => 0) },
    ];
    expect(index.put([good, ...bad])).toEqual({ refused: 4 });
    expect(index.stats().vectors).toBe(1);
    expect(index.takes(toFloats(good))).toBe(true);
    expect(index.takes(toFloats(good).fill(0))).toBe(false);
    expect(index.takes(toFloats(good).fill(Number.NaN))).toBe(false);
    expect(index.takes(new Float32Array(3).fill(1))).toBe(false);
    expect(new VectorIndex(DIMENSIONS).search(toFloats(good), 5, everyone).hits).toEqual([]);
  });
});
