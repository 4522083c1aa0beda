// A snapshot gives the same index back, and nothing damaged, foreign or old is ever taken for one.
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from './document.ts';
import { LexicalIndex } from './lexical-index.ts';
import { readSnapshot } from './snapshot.ts';
import { openStemmer, type Stemmer } from './stemming.ts';

const STAMP = { incarnation: 'b-1', position: '17', lastChangeHash: 'abc' };
const ALL = { sources: 'all', seesPrivate: true } as const;

const page = (pageId: number, text: string): IndexDocument => ({
  pageId,
  sourceId: 'default',
  visibility: 'world',
  slug: `people/zoë-${pageId}`,
  title: `Zoë ${pageId}`,
  aliases: ['Captain'],
  type: 'person',
  effectiveDate: '2024-02-29',
  chunks: [{ index: 0, field: 'body', text }],
  timeline: ['2024-03-01'],
});

let stemmer: Stemmer;
let index: LexicalIndex;
let bytes: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  stemmer = await openStemmer('english');
  index = new LexicalIndex(stemmer);
  for (let id = 1; id <= 20; id++) index.apply([{ kind: 'put', page: page(id, `rivers and kilns ${id}`) }]);
  index.apply([{ kind: 'remove', pageId: 3 }]);
  bytes = index.snapshot(STAMP);
});

describe('snapshot', () => {
  it('gives an index that ranks alike and takes changes', async () => {
    const loaded = LexicalIndex.load(bytes, stemmer, 'b-1');
    if (!loaded.ok) throw new Error(loaded.reason);
    expect(loaded.stamp).toEqual({ ...STAMP, language: 'english' });
    for (const query of ['river', 'zoe 4', 'kilns 7 captain'])
      expect((await loaded.index.search(query, ALL)).pages).toEqual((await index.search(query, ALL)).pages);
    expect(loaded.index.stats().documents).toBe(19);
    loaded.index.apply([{ kind: 'put', page: page(4, 'glacier') }]);
    expect((await loaded.index.search('glacier', ALL)).pages.map((row) => row.pageId)).toEqual([4]);
    expect(loaded.index.stats().documents).toBe(19);
    loaded.index.compact();
    expect(loaded.index.stats()).toMatchObject({ documents: 19, deadDocuments: 0, segments: 1 });
  });

  it('loads from a buffer at any offset', () => {
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(LexicalIndex.load(shifted.subarray(3), stemmer, 'b-1').ok).toBe(true);
  });

  it('refuses another brain, another language, another version', async () => {
    expect(LexicalIndex.load(bytes, stemmer, 'b-2')).toEqual({ ok: false, reason: 'other_brain' });
    expect(LexicalIndex.load(bytes, await openStemmer('german'), 'b-1')).toEqual({
      ok: false,
      reason: 'other_language',
    });
    const older = bytes.slice();
    older[4] = 200;
    expect(LexicalIndex.load(older, stemmer, 'b-1')).toEqual({ ok: false, reason: 'other_version' });
  });

  it('refuses every cut and every changed byte', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        expect(LexicalIndex.load(bytes.slice(0, length), stemmer, 'b-1').ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        fc.pre(at < 28 || at >= 32);
        const damaged = bytes.slice();
        damaged[at]! ^= flip;
        expect(LexicalIndex.load(damaged, stemmer, 'b-1').ok).toBe(false);
      }),
    );
  });

  it('refuses a well-sealed buffer whose columns do not fit', () => {
    const forged = bytes.slice();
    const text = new TextDecoder().decode(forged.subarray(32, 32 + new DataView(forged.buffer).getUint32(8, true)));
    forged.set(new TextEncoder().encode(text.replace(/"segments":\[\[\d/, '"segments":[[9')), 32);
    const head = new DataView(forged.buffer);
    head.setUint32(12, crc32(forged.subarray(32)), true);
    head.setUint32(24, crc32(forged.subarray(0, 24)), true);
    expect(readSnapshot(forged, { incarnation: 'b-1', language: 'english' })).toEqual({
      ok: false,
      reason: 'malformed',
    });
  });
});
