// Fusion: what a good arm adds, that a noisy or broken one changes nothing, and that scope and filters hold.
import { describe, expect, it } from 'vitest';
import type { IndexDocument } from '../document.ts';
import { LexicalIndex } from '../lexical-index.ts';
import { openStemmer } from '../stemming.ts';
import { encodeVector } from '../vectors/code.ts';
import { VectorIndex } from '../vectors/vector-index.ts';

const stemmer = await openStemmer('english');
const SIZE = 64;
const THEMES = ['harbour', 'orchard', 'furnace', 'glacier', 'violin', 'ledger', 'falcon', 'quarry'];

function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A direction for a theme, with a little of its own. */
function vectorOf(theme: number, own: number): Float32Array {
  const [shared, apart] = [numbersFrom(theme * 7919 + 1), numbersFrom(own * 104729 + 3)];
  return Float32Array.from({ length: SIZE }, () => shared() - 0.5 + 0.6 * (apart() - 0.5));
}

const page = (pageId: number, theme: number, isPrivate = false): IndexDocument => ({
  pageId,
  sourceId: 'default',
  visibility: isPrivate ? 'private' : 'world',
  slug: `notes/n${String(pageId).padStart(3, '0')}`,
  title: `Note ${pageId}`,
  aliases: [],
  type: pageId % 2 === 0 ? 'note' : 'memo',
  effectiveDate: null,
  // Every second page of a theme says its word; the others mean it.
  chunks: [
    { index: 0, field: 'body', text: pageId % 16 < 8 ? `about the ${THEMES[theme]} of today` : 'other matters' },
  ],
  timeline: [],
});

const pages = Array.from({ length: 160 }, (_, i) => page(i + 1, i % 8));

function build(vectorFor: (pageId: number) => Float32Array): { index: LexicalIndex; vectors: VectorIndex } {
  const index = new LexicalIndex(stemmer);
  index.apply(pages.map((one) => ({ kind: 'put', page: one })));
  const vectors = new VectorIndex(SIZE);
  vectors.put(pages.map(({ pageId }) => ({ pageId, chunkIndex: 0, code: encodeVector(vectorFor(pageId)) })));
  return { index, vectors };
}

const good = build((pageId) => vectorOf((pageId - 1) % 8, pageId));
const EVERYONE = { sources: 'all', seesPrivate: true } as const;
const slugsOf = (reply: { pages: readonly { slug: string }[] }): string[] => reply.pages.map((one) => one.slug);
const meansTheme = (slug: string, theme: number): boolean => (Number(slug.slice(-3)) - 1) % 8 === theme;

describe('fusion', () => {
  it('brings in pages that mean what was asked and hold none of its words', async () => {
    const { index, vectors } = good;
    const alone = await index.search('orchard', EVERYONE, { limit: 20 });
    const query = vectorOf(1, 9_001);
    const fused = await index.search('orchard', EVERYONE, { limit: 20, vectors: { index: vectors, query } });
    expect(slugsOf(alone).every((slug) => meansTheme(slug, 1))).toBe(true);
    expect(alone.pages).toHaveLength(10);
    expect(slugsOf(fused).every((slug) => meansTheme(slug, 1))).toBe(true);
    expect(fused.pages).toHaveLength(20);
    expect(fused.vectorTrust).toBeGreaterThan(0.5);
    expect(fused.pages.at(-1)!.chunks).toEqual([0]);
  });

  it('changes nothing when the arm is noise, constant, of another size, or not a number', async () => {
    const noise = build((pageId) => vectorOf(1_000 + pageId, pageId)).vectors;
    const constant = build(() => new Float32Array(SIZE).fill(1)).vectors;
    for (const [theme, word] of THEMES.entries()) {
      const alone = slugsOf(await good.index.search(word, EVERYONE, { limit: 30 }));
      const arms = [
        { index: noise, query: vectorOf(2_000 + theme, 1) },
        { index: constant, query: vectorOf(theme, 1) },
        { index: good.vectors, query: new Float32Array(SIZE + 1).fill(1) },
        { index: good.vectors, query: new Float32Array(SIZE).fill(Number.NaN) },
        { index: new VectorIndex(SIZE), query: vectorOf(theme, 1) },
      ];
      for (const vectors of arms)
        expect(slugsOf(await good.index.search(word, EVERYONE, { limit: 30, vectors }))).toEqual(alone);
    }
  });

  it('shows no page that the scope or a filter hides', async () => {
    const index = new LexicalIndex(stemmer);
    index.apply(pages.map(({ pageId }) => ({ kind: 'put', page: page(pageId, (pageId - 1) % 8, pageId % 3 === 0) })));
    const vectors = { index: good.vectors, query: vectorOf(1, 9_001) };
    const outside = await index.search('orchard', { sources: 'all', seesPrivate: false }, { limit: 100, vectors });
    expect(outside.pages.length).toBeGreaterThan(5);
    expect(outside.pages.some((one) => one.pageId % 3 === 0)).toBe(false);
    const typed = await index.search('orchard', EVERYONE, { limit: 100, vectors, types: ['note'] });
    expect(typed.pages.every((one) => one.type === 'note')).toBe(true);
    expect(slugsOf(await index.search('orchard', { sources: [], seesPrivate: true }, { vectors }))).toEqual([]);
  });

  it('leaves what the question names in front', async () => {
    const vectors = { index: good.vectors, query: vectorOf(3, 9_001) };
    const reply = await good.index.search('Note 5', EVERYONE, { vectors });
    expect(reply.pages[0]).toMatchObject({ pageId: 5, evidence: 'exact_title_match' });
  });
});
