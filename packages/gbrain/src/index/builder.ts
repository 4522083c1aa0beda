// Builds one segment from documents. Interns terms, counts field frequencies and freezes everything into columns.
import { analyze, emptyTokens, type Tokens } from './analysis.ts';
import { ByteWriter, WordWriter } from './bytes.ts';
import { FIELD_COUNT, FIELD_ID, type IndexDocument, NO_DAY, toDay } from './document.ts';
import { nameTermsOf } from './names.ts';
import { addOccurrence, type SegmentColumns } from './segment.ts';
import { groupKeys, type Stemmer } from './stemming.ts';
import { packStrings } from './string-table.ts';

/** Collects documents of one segment. */
export class SegmentBuilder {
  private readonly stemmer: Stemmer;
  private readonly ids = new Map<string, number>();
  private readonly names: string[] = [];
  private readonly lastDoc = new WordWriter();
  private readonly lastEntry = new WordWriter();
  private readonly entryTerm = new WordWriter();
  private readonly entryDoc = new WordWriter();
  private readonly entryPacked = new WordWriter();
  private readonly tokens = new WordWriter(4096);
  private readonly tokenAt = new WordWriter();
  private readonly spanAt = new WordWriter();
  private readonly spans = new WordWriter();
  private readonly lengths = new WordWriter();
  private readonly pages: IndexDocument[] = [];

  constructor(stemmer: Stemmer) {
    this.stemmer = stemmer;
  }

  /** Number of documents so far. */
  get size(): number {
    return this.pages.length;
  }

  /** Adds a page. A page id must not occur twice in one segment. */
  add(page: IndexDocument): void {
    const doc = this.pages.length;
    this.tokenAt.push(this.tokens.length);
    this.spanAt.push(this.spans.length);
    const lengths = new Uint32Array(FIELD_COUNT);
    const addText = (text: string, field: number, chunk: number): void => {
      lengths[field]! += this.addText(doc, text, field, chunk);
    };
    addText(page.title, FIELD_ID.title, 0);
    for (const alias of page.aliases) addText(alias, FIELD_ID.aliases, 0);
    for (const chunk of page.chunks) addText(chunk.text, FIELD_ID[chunk.field], chunk.index);
    for (const term of nameTermsOf(page)) this.count(doc, this.intern(term), -1);
    for (const length of lengths) this.lengths.push(length);
    this.pages.push({ ...page, chunks: [] });
  }

  /** Appends a text to the stream and counts its terms; gives its number of words. */
  private addText(doc: number, text: string, field: number, chunk: number): number {
    const tokens: Tokens = emptyTokens();
    analyze(text, tokens);
    if (tokens.words.length === 0) return 0;
    this.spans.push(this.tokens.length - this.tokenAt.words[doc]!);
    this.spans.push(field);
    this.spans.push(chunk);
    for (const word of tokens.words) {
      const id = this.intern(word);
      this.tokens.push(id);
      this.count(doc, id, field);
    }
    for (const term of tokens.extras) this.count(doc, this.intern(term), field);
    return tokens.words.length;
  }

  private intern(term: string): number {
    const known = this.ids.get(term);
    if (known !== undefined) return known;
    const id = this.names.length;
    this.ids.set(term, id);
    this.names.push(term);
    this.lastDoc.push(0);
    this.lastEntry.push(0);
    return id;
  }

  private count(doc: number, id: number, field: number): void {
    let entry = this.lastEntry.words[id]!;
    if (this.lastDoc.words[id] !== doc + 1) {
      entry = this.entryTerm.length;
      this.lastDoc.words[id] = doc + 1;
      this.lastEntry.words[id] = entry;
      this.entryTerm.push(id);
      this.entryDoc.push(doc);
      this.entryPacked.push(0);
    }
    if (field >= 0) this.entryPacked.words[entry] = addOccurrence(this.entryPacked.words[entry]!, field);
  }

  /** The finished segment; the builder is of no further use. */
  build(): SegmentColumns {
    const spellings = this.names.slice().sort();
    const sorted = Uint32Array.from(spellings, (name) => this.ids.get(name)!);
    const order = this.frequencyOrder(sorted);
    return {
      ...this.dictionary(spellings, sorted, order.newIds),
      ...this.invert(order),
      ...this.forward(order.newIds),
      ...documentColumns(this.pages),
      lengths: this.lengths.finish(),
    };
  }

  /** New ids by falling number of postings; ties by spelling, so that equal content gives equal columns. */
  private frequencyOrder(sorted: Uint32Array): { newIds: Uint32Array; counts: Uint32Array } {
    const counts = new Uint32Array(this.names.length);
    for (let i = 0; i < this.entryTerm.length; i++) counts[this.entryTerm.words[i]!]!++;
    const keys = Float64Array.from(sorted, (old, place) => (this.pages.length - counts[old]!) * 2 ** 32 + place).sort();
    const newIds = new Uint32Array(this.names.length);
    const byId = Uint32Array.from(keys, (key) => sorted[key % 2 ** 32]!);
    byId.forEach((old, id) => {
      newIds[old] = id;
    });
    return { newIds, counts: byId.map((old) => counts[old]!) };
  }

  private dictionary(
    spellings: readonly string[],
    sorted: Uint32Array,
    newIds: Uint32Array,
  ): Pick<SegmentColumns, 'terms' | 'termIds' | 'keys' | 'keyAt' | 'keyTerms' | 'nameTerms'> {
    const groups = new Map<string, number[]>();
    spellings.forEach((spelling, place) => {
      for (const key of groupKeys(spelling, this.stemmer)) {
        const group = groups.get(key);
        if (group) group.push(newIds[sorted[place]!]!);
        else groups.set(key, [newIds[sorted[place]!]!]);
      }
    });
    const keys = [...groups.keys()].sort();
    const keyAt = new Uint32Array(keys.length + 1);
    const keyTerms = new WordWriter();
    keys.forEach((key, i) => {
      for (const id of groups.get(key)!) keyTerms.push(id);
      keyAt[i + 1] = keyTerms.length;
    });
    const named = this.namedTerms();
    return {
      terms: packStrings(spellings),
      termIds: sorted.map((old) => newIds[old]!),
      keys: packStrings(keys),
      keyAt,
      keyTerms: keyTerms.finish(),
      nameTerms: Uint32Array.from([...sorted.keys()].filter((place) => named[sorted[place]!])),
    };
  }

  /** By old id: 1 where a word occurs in a title or an alias. */
  private namedTerms(): Uint8Array {
    const named = new Uint8Array(this.names.length);
    for (let doc = 0; doc < this.pages.length; doc++) {
      const start = this.tokenAt.words[doc]!;
      const end = start + this.lengths.words[doc * FIELD_COUNT]! + this.lengths.words[doc * FIELD_COUNT + 1]!;
      for (let at = start; at < end; at++) named[this.tokens.words[at]!] = 1;
    }
    return named;
  }

  private invert(order: {
    newIds: Uint32Array;
    counts: Uint32Array;
  }): Pick<SegmentColumns, 'postingsAt' | 'counts' | 'postings'> {
    const { newIds, counts } = order;
    const starts = new Uint32Array(counts.length + 1);
    for (let id = 0; id < counts.length; id++) starts[id + 1] = starts[id]! + counts[id]!;
    const next = starts.slice();
    const entries = new Uint32Array(this.entryTerm.length);
    for (let i = 0; i < entries.length; i++) entries[next[newIds[this.entryTerm.words[i]!]!]!++] = i;
    const out = new ByteWriter(entries.length * 3 + 16);
    const postingsAt = new Uint32Array(counts.length);
    for (let id = 0; id < counts.length; id++) {
      postingsAt[id] = out.length;
      let last = -1;
      for (let i = starts[id]!; i < starts[id + 1]!; i++) {
        const doc = this.entryDoc.words[entries[i]!]!;
        out.varint(doc - last);
        out.varint(this.entryPacked.words[entries[i]!]!);
        last = doc;
      }
    }
    return { postingsAt, counts, postings: out.finish() };
  }

  private forward(newIds: Uint32Array): Pick<SegmentColumns, 'streamAt' | 'stream' | 'spanAt' | 'spans'> {
    const out = new ByteWriter(this.tokens.length * 2 + 16);
    const streamAt = new Uint32Array(this.pages.length + 1);
    const spanAt = new Uint32Array(this.pages.length + 1);
    for (let doc = 0; doc < this.pages.length; doc++) {
      const end = doc + 1 < this.pages.length ? this.tokenAt.words[doc + 1]! : this.tokens.length;
      for (let at = this.tokenAt.words[doc]!; at < end; at++) out.varint(newIds[this.tokens.words[at]!]!);
      streamAt[doc + 1] = out.length;
      spanAt[doc + 1] = doc + 1 < this.pages.length ? this.spanAt.words[doc + 1]! : this.spans.length;
    }
    return { streamAt, stream: out.finish(), spanAt, spans: this.spans.finish() };
  }
}

type DocumentColumns = Pick<
  SegmentColumns,
  | 'pageIds'
  | 'sources'
  | 'sourceOf'
  | 'types'
  | 'typeOf'
  | 'isPrivate'
  | 'days'
  | 'timelineAt'
  | 'timelineDays'
  | 'slugs'
  | 'titles'
>;

function documentColumns(pages: readonly IndexDocument[]): DocumentColumns {
  const sources = [...new Set(pages.map((page) => page.sourceId))].sort();
  const types = [...new Set(pages.map((page) => page.type))].sort();
  const timelineDays: number[] = [];
  const timelineAt = new Uint32Array(pages.length + 1);
  pages.forEach((page, doc) => {
    const days = page.timeline.map((iso) => toDay(iso)).filter((day) => day !== NO_DAY);
    timelineDays.push(...new Set(days.sort((a, b) => a - b)));
    timelineAt[doc + 1] = timelineDays.length;
  });
  return {
    pageIds: Float64Array.from(pages, (page) => page.pageId),
    sources: packStrings(sources),
    sourceOf: Uint16Array.from(pages, (page) => sources.indexOf(page.sourceId)),
    types: packStrings(types),
    typeOf: Uint16Array.from(pages, (page) => types.indexOf(page.type)),
    isPrivate: Uint8Array.from(pages, (page) => (page.visibility === 'private' ? 1 : 0)),
    days: Int32Array.from(pages, (page) => toDay(page.effectiveDate)),
    timelineAt,
    timelineDays: Int32Array.from(timelineDays),
    slugs: packStrings(pages.map((page) => page.slug)),
    titles: packStrings(pages.map((page) => page.title)),
  };
}
