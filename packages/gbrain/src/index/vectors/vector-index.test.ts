// The vector arm against a full scan over 32-bit numbers: what it finds, whom it shows, what a snapshot keeps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVector, encodeVector, turn } from './code.ts';
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

/** A vector with what it was made from. */
interface Made extends StoredVector {
  readonly floats: Float32Array;
}

/** A vector near one of a few themes, as embeddings of texts are. */
function made(pageId: number, chunkIndex: number, random: () => number): Made {
  const theme = numbersFrom(Math.floor(random() * 40));
  const raw = Float32Array.from({ length: DIMENSIONS }, () => theme() - 0.5 + (random() - 0.5) * 1.2);
  const length = Math.hypot(...raw);
  const floats = raw.map((one) => one / length);
  return { pageId, chunkIndex, code: encodeVector(floats), floats };
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, one, i) => sum + one * b[i]!, 0);

const fullScan = (all: readonly Made[], query: Float32Array, k: number): Made[] =>
  all
    .map((one) => ({ one, cosine: dot(query, one.floats) }))
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, k)
    .map(({ one }) => one);

const nameOf = (one: { pageId: number; chunkIndex?: number; chunk?: number }): string =>
  `${one.pageId}:${one.chunkIndex ?? one.chunk}`;

function fill(count: number, seed: number): { index: VectorIndex; all: Made[] } {
  const random = numbersFrom(seed);
  const all = Array.from({ length: count }, (_, i) => made(1 + Math.floor(i / 3), i % 3, random));
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
          // Rows of 32 low bytes with their signs behind all of them.
          bytes.set(query.subarray(0, 8), 1024 + 96);
          const addresses = [2, 0].flatMap((row) => [1024 + row * 32, 1024 + 96 + row * 2]);
          new Uint32Array(kernel.memory.buffer, 16384, 4).set(addresses);
          kernel.products(16384, 8192, 20480, 2, 32);
          const isSet = (bit: number): boolean => ((query[bit >> 3]! >> (bit & 7)) & 1) === 1;
          const number = (row: number, i: number): number => rows[row * 32 + i]! - (isSet(row * 16 + i) ? 0 : 256);
          const product = (row: number): number => numbers.reduce((sum, one, i) => sum + one * number(row, i), 0);
          expect([...new Int32Array(kernel.memory.buffer, 20480, 2)]).toEqual([product(2), product(0)]);
        },
      ),
    );
  });
});

describe('a code', () => {
  it.each([1, 2, 3, 100, 128, 384, 1000, 1536])('turns %i dimensions without changing lengths or angles', (size) => {
    const random = numbersFrom(size);
    const [a, b] = [0, 1].map(() => Float32Array.from({ length: size }, () => random() - 0.5)) as [
      Float32Array,
      Float32Array,
    ];
    const [turnedA, turnedB] = [Float32Array.from(turn(a)), Float32Array.from(turn(b))];
    expect(dot(turnedA, turnedA)).toBeCloseTo(dot(a, a), 4);
    expect(dot(turnedA, turnedB)).toBeCloseTo(dot(a, b), 4);
    const back = decodeVector(encodeVector(a));
    expect(dot(back, a) / Math.hypot(...a)).toBeGreaterThan(0.9999);
  });

  it('spreads one heavy dimension over all', () => {
    for (const heavy of [0, 700, 1535]) {
      const turned = turn(new Float32Array(1536).fill(1, heavy, heavy + 1));
      expect(Math.max(...turned.map(Math.abs))).toBeLessThan(0.2);
    }
  });

  it('is what rows of a brain are made of, so it never changes', () => {
    const { scale, signs, lows } = encodeVector(Float32Array.of(0.5, -0.1, 0.7, 0.2, -0.3, 0.1, 0.05, -0.4, 0.02, 0.3));
    expect({ signs: [...signs], lows: [...lows], scale }).toMatchInlineSnapshot(`
      {
        "lows": [
          201,
          255,
          210,
          220,
          121,
          62,
          33,
          184,
          12,
          106,
        ],
        "scale": 0.00093720672884956,
        "signs": [
          171,
          1,
        ],
      }
    `);
  });

  it('gives cosines of every size, the largest numbers included', () => {
    for (const size of [5, 200, 8192]) {
      for (const fill of [() => 1, (i: number) => (i === 0 ? 1 : 0), (i: number) => (i % 3) - 1]) {
        const floats = Float32Array.from({ length: size }, (_, i) => fill(i));
        const index = new VectorIndex(size);
        index.put([{ pageId: 1, chunkIndex: 0, code: encodeVector(floats) }]);
        expect(index.search(floats, 1, everyone).hits[0]!.cosine).toBeCloseTo(1, 3);
        expect(
          index.search(
            floats.map((one) => -one),
            1,
            everyone,
          ).hits[0]!.cosine,
        ).toBeCloseTo(-1, 3);
      }
    }
  });
});

describe('the vector arm', () => {
  it('finds at least 99 of 100 of what a full scan finds', () => {
    const { index, all } = fill(6_000, 3);
    const random = numbersFrom(99);
    let found = 0;
    for (let i = 0; i < 20; i++) {
      const query = made(0, 0, random).floats;
      const names = new Set(index.search(query, 20, everyone).hits.map(nameOf));
      found += fullScan(all, query, 20).filter((one) => names.has(nameOf(one))).length;
    }
    expect(found).toBeGreaterThanOrEqual(0.99 * 400);
  });

  it('ranks among the admitted pages alone, however few they are', () => {
    const { index, all } = fill(6_000, 4);
    const query = all[5]!.floats;
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
    const query = all[10]!.floats;
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
      const query = made(0, 0, random).floats;
      const answer = forward.search(query, 20, everyone).hits;
      const spread = forward.spread(query, everyone);
      for (const other of [backward, loaded.index]) {
        expect(other.search(query, 20, everyone).hits).toEqual(answer);
        expect(other.spread(query, everyone)).toEqual(spread);
        expect(other.nearestOf(query, [3, 900])).toEqual(forward.nearestOf(query, [3, 900]));
      }
    }
    loaded.index.put([made(9_999, 0, random)]);
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
    const good = made(1, 0, numbersFrom(1));
    const bad = [
      { ...good, code: { ...good.code, scale: Number.NaN } },
      { ...good, code: { ...good.code, scale: 0 } },
      { ...good, code: { ...good.code, lows: good.code.lows.slice(1) } },
      { ...good, code: { ...good.code, signs: good.code.signs.slice(1) } },
    ];
    expect(index.put([good, ...bad])).toEqual({ refused: 4 });
    expect(index.stats().vectors).toBe(1);
    expect(index.takes(good.floats)).toBe(true);
    expect(index.takes(good.floats.fill(0))).toBe(false);
    expect(index.takes(good.floats.fill(Number.NaN))).toBe(false);
    expect(index.takes(new Float32Array(3).fill(1))).toBe(false);
    expect(new VectorIndex(DIMENSIONS).search(good.floats, 5, everyone).hits).toEqual([]);
  });
});
