// The references of a page and the edges that they make. Edges are settled once a transaction, when every page of it is
// there, and once a bulk, when all its pages are; a reference to a page that is missing waits and is settled in the
// commit that brings the page.
import { definePart } from '../../part.ts';
import { scanPage } from '../chunks/page-body.ts';
import { keepLinks } from './graph.sql.ts';
import { deriveLinks, type PageLinks } from './page-links.ts';
import { pageKeys } from './resolve.ts';
import { keyText, settleLeft, settleWritten } from './settle.ts';

/** What a page says of others, and what others may call it. */
interface LinkRows {
  links: PageLinks;
  keys: string[];
}

export default definePart<LinkRows>({
  name: 'links',
  summary: 'References and typed edges of a page.',
  requirement: 'facts/engine D.1',
  derive: ({ page, sourceId }) => {
    const { slug, type, title, aliases, frontmatter } = page;
    const body = scanPage(page);
    const links = deriveLinks({ source: sourceId, slug, type, title, aliases, frontmatter, body });
    const keys = pageKeys({ source: sourceId, slug, type, title, aliases });
    return { links, keys: [...new Set(keys.flatMap((key) => keyText(key) ?? []))] };
  },
  write: (page, rows) => keepLinks([{ page, rows }]),
  writeMany: keepLinks,
  settle: async (tx, written, { isBulk }) => {
    // At the end of a bulk every page is there, so each is settled once, and the order of the files decides nothing.
    if (isBulk) return;
    const last = new Map(written.map(({ page, rows }) => [page.id, { pageId: page.id, ...rows }]));
    await settleWritten(tx, [...last.values()]);
  },
  catchUp: settleLeft,
  reply: ({ links }) => ({ auto_links: { references: links.references.length, statements: links.statements.length } }),
});
