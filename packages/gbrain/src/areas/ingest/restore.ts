// Puts back what an export holds beside its pages, part by part, once the pages are there. A row is taken only for a
// page that this folder has made; a bad row costs that row.
import type { ExportPart } from '../../export-part.ts';
import { dataFile, readLines } from '../content/export-data.ts';
import { commitGroup } from '../pages/commit-group.ts';
import { parseSlug, type Slug } from '../pages/slug.ts';
import type { TakeInRun } from './take-in.ts';

/** What became of one part of an export. */
export interface RestoredPart {
  name: string;
  /** Rows in the file. */
  rows: number;
  /** Rows that were put back, or were there already. */
  restored: number;
  /** Rows of pages that this folder did not make. */
  skipped: number;
  /** Lines that are no row. */
  bad: number;
  /** The part is not known, or its rows are of another version: none was read. */
  unknown?: true;
}

const BATCH_ROWS = 200;

/** Puts every part of the folder's export back; nothing for a folder that is no export. */
export async function restoreParts(run: TakeInRun, parts: readonly ExportPart[]): Promise<RestoredPart[]> {
  const { manifest } = run.plan;
  if (!manifest) return [];
  const byName = new Map(parts.map((part) => [part.name, part]));
  const ordered = [...manifest.parts].sort(
    (a, b) => (byName.get(a.name)?.order ?? 50) - (byName.get(b.name)?.order ?? 50),
  );
  const restored: RestoredPart[] = [];
  for (const { name, version, rows } of ordered) {
    const part = byName.get(name);
    if (part && part.version === version) restored.push(await restorePart(run, part));
    else restored.push({ name, rows, restored: 0, skipped: rows, bad: 0, unknown: true });
  }
  return restored;
}

async function restorePart(run: TakeInRun, part: ExportPart): Promise<RestoredPart> {
  const told: RestoredPart = { name: part.name, rows: 0, restored: 0, skipped: 0, bad: 0 };
  let batch: unknown[] = [];
  const flush = async () => {
    if (batch.length > 0 && !run.isDryRun) await restoreRows(run, part, batch);
    told.restored += batch.length;
    batch = [];
  };
  for await (const line of readLines(dataFile(run.ask.root, `${part.name}.jsonl`))) {
    told.rows += 1;
    const row = line.ok ? part.parse(line.value) : undefined;
    if (row === undefined) told.bad += 1;
    else if (part.slugOf && !run.report.slugs.has(part.slugOf(row))) told.skipped += 1;
    else batch.push(row);
    if (batch.length >= BATCH_ROWS) await flush();
  }
  await flush();
  run.ask.onProgress?.(`restoring ${part.name}`, told.rows);
  return told;
}

async function restoreRows(run: TakeInRun, part: ExportPart, rows: readonly unknown[]): Promise<void> {
  if (part.toPage) await putPages(run, rows.map(part.toPage));
  const statements = part.restore(run.ask.sourceId, rows);
  if (statements.length > 0) await run.store.batch(statements, { signal: run.ask.signal });
}

/** Writes pages that no file of the folder holds, where nothing stands at their slugs. */
async function putPages(run: TakeInRun, pages: readonly { slug: string; text: string }[]): Promise<void> {
  const named = pages.flatMap(({ slug, text }) => {
    const parsed = parseSlug(slug);
    return parsed.ok && parsed.slug === slug ? [{ slug: parsed.slug as Slug, text }] : [];
  });
  const provenance = {
    ingestedVia: 'import',
    contentOrigin: 'imported' as const,
    ...(run.isEmbedHeld && { isEmbedHeld: true }),
  };
  const outcomes = await commitGroup(
    run.store,
    named.map(({ slug, text }) => ({
      operation: 'import',
      sourceId: run.ask.sourceId,
      slug,
      writer: run.writer,
      newRevision: run.newId(),
      at: run.now(),
      isFromFiles: true,
      isExact: true,
      decide: (page) => (page ? { kind: 'none', reply: { stood: true } } : { kind: 'put', text, provenance }),
    })),
    { signal: run.ask.signal, parts: run.parts },
  );
  outcomes.forEach((one, i) => {
    if (one.ok && one.committed.outcome.stood !== true) run.report.slugs.add(named[i]!.slug);
  });
}
