// Written by npm run generate from areas/*/*.export.ts; do not edit.
import type { ExportPart } from '../export-part.ts';
import type { Registered } from '../registry.ts';
import extractionExtractedTurns from '../areas/extraction/extracted-turns.export.ts';
import factsFenceFacts from '../areas/facts/fence-facts.export.ts';
import factsFreeFacts from '../areas/facts/free-facts.export.ts';
import factsWithdrawals from '../areas/facts/withdrawals.export.ts';
import graphManualLinks from '../areas/graph/manual-links.export.ts';
import pagesDeletedPages from '../areas/pages/deleted-pages.export.ts';
import pagesMovedSlugs from '../areas/pages/moved-slugs.export.ts';
import pagesPageFacts from '../areas/pages/page-facts.export.ts';
import pagesVersions from '../areas/pages/versions.export.ts';

export const exports: readonly Registered<ExportPart>[] = [
  { area: 'extraction', file: 'extracted-turns.export.ts', value: extractionExtractedTurns },
  { area: 'facts', file: 'fence-facts.export.ts', value: factsFenceFacts },
  { area: 'facts', file: 'free-facts.export.ts', value: factsFreeFacts },
  { area: 'facts', file: 'withdrawals.export.ts', value: factsWithdrawals },
  { area: 'graph', file: 'manual-links.export.ts', value: graphManualLinks },
  { area: 'pages', file: 'deleted-pages.export.ts', value: pagesDeletedPages },
  { area: 'pages', file: 'moved-slugs.export.ts', value: pagesMovedSlugs },
  { area: 'pages', file: 'page-facts.export.ts', value: pagesPageFacts },
  { area: 'pages', file: 'versions.export.ts', value: pagesVersions },
];
