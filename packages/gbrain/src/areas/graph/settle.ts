// Settles references into edges: those of the pages just written, and those of pages that waited for one of them.
// It asks for every key at once, so its cost is a few round trips however many pages there are.
import type { Store, Tx } from '../../store/store.ts';
import { linkKeys, settleLinks } from './edges.ts';
import {
  type EdgeRow,
  findPages,
  type KeyedPage,
  linksWaitingFor,
  type SettledRow,
  unsettledLinks,
  writeSettled,
} from './graph.sql.ts';
import type { PageLinks } from './page-links.ts';
import type { LookupKey, PageRef } from './resolve.ts';

/** Waiting pages that one transaction settles; the others are settled by the next write of theirs or by a rebuild. */
const WAITING_MAX = 2_000;
/** A longer key cannot be indexed, and names nothing that a person would write. */
const KEY_BYTES_MAX = 1_000;

/** A key as it is stored; undefined for one that is too long to be. */
export function keyText({ source, kind, key }: LookupKey): string | undefined {
  const text = `${source}\n${kind}\n${key}`;
  return Buffer.byteLength(text) <= KEY_BYTES_MAX ? text : undefined;
}

/** Links of one page, with its row. */
export interface LinkedPage {
  pageId: number;
  links: PageLinks;
}

const keyTexts = (links: PageLinks): string[] => linkKeys(links).flatMap((key) => keyText(key) ?? []);

/** Settles the links of pages that were written, and of those that wait for one of their keys. */
export async function settleWritten(tx: Tx, written: readonly (LinkedPage & { keys: string[] })[]): Promise<void> {
  const ids = new Set(written.map(({ pageId }) => pageId));
  const newKeys = [...new Set(written.flatMap(({ keys }) => keys))];
  const waiting = await linksWaitingFor(tx, newKeys, WAITING_MAX);
  return settleAll(tx, [...written, ...waiting.filter(({ pageId }) => !ids.has(pageId))]);
}

/** Pages that one transaction of `settleLeft` settles. */
const LEFT_PAGES = 256;

/** Settles every page that a bulk has left, or that waits for one which is there by now; a few at a time. */
export async function settleLeft(
  store: Store,
  { signal, onProgress }: { signal: AbortSignal; onProgress?(done: number): void },
): Promise<void> {
  let done = 0;
  for (let after = 0; ; ) {
    const pages = await store.tx(
      async (tx) => {
        const left = await unsettledLinks(tx, after, LEFT_PAGES);
        await settleAll(tx, left);
        return left;
      },
      { signal },
    );
    done += pages.length;
    onProgress?.(done);
    const last = pages.at(-1);
    if (!last || pages.length < LEFT_PAGES) return;
    after = last.pageId;
  }
}

/** Settles the links of pages over the pages that are live now, and replaces their derived edges. */
export async function settleAll(tx: Tx, pages: readonly LinkedPage[]): Promise<void> {
  const asked = [...new Set(pages.flatMap(({ links }) => keyTexts(links)))];
  const found = await findPages(tx, asked);
  const byKey = new Map<string, KeyedPage[]>();
  const isAsked = new Set(asked);
  for (const page of found) {
    for (const key of page.keys) if (isAsked.has(key)) byKey.set(key, [...(byKey.get(key) ?? []), page]);
  }
  const idOf = new Map(found.map((page) => [`${page.source}\n${page.slug}`, page.id]));
  const lookup = (key: LookupKey): PageRef[] => byKey.get(keyText(key) ?? '') ?? [];
  const rows = pages.map(({ pageId, links }): SettledRow => {
    idOf.set(`${links.page.source}\n${links.page.slug}`, pageId);
    const { edges, open } = settleLinks(links, lookup);
    const openKeys = new Set(open.flatMap(({ keys }) => keys.flatMap((key) => keyText(key) ?? [])));
    const wanted = open.filter((one) => one.wanted).map(({ state, label }) => ({ state, label }));
    const edgeRows = edges.map((edge): EdgeRow => {
      return {
        from_page_id: idOf.get(`${edge.from.source}\n${edge.from.slug}`)!,
        to_page_id: idOf.get(`${edge.to.source}\n${edge.to.slug}`)!,
        link_type: edge.linkType,
        link_source: edge.linkSource,
        context: edge.context,
        reason: edge.reason,
        origin_page_id: pageId,
        origin_field: edge.originField ?? null,
      };
    });
    return { pageId, openKeys: [...openKeys], open: wanted, edges: edgeRows };
  });
  await writeSettled(tx, rows);
}
