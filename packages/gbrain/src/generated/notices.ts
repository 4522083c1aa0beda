// Written by npm run generate from areas/*/*.notices.ts; do not edit.
import type { NoticeTable } from '../notices.ts';
import type { Registered } from '../registry.ts';
import contentContent from '../areas/content/content.notices.ts';
import contractContract from '../areas/contract/contract.notices.ts';
import entitiesEntities from '../areas/entities/entities.notices.ts';
import factsFacts from '../areas/facts/facts.notices.ts';
import graphGraph from '../areas/graph/graph.notices.ts';
import healthOnboarding from '../areas/health/onboarding.notices.ts';
import ingestIngest from '../areas/ingest/ingest.notices.ts';
import modelsModels from '../areas/models/models.notices.ts';
import pagesPages from '../areas/pages/pages.notices.ts';
import searchSearch from '../areas/search/search.notices.ts';
import setupSetup from '../areas/setup/setup.notices.ts';
import spendSpend from '../areas/spend/spend.notices.ts';

export const notices: readonly Registered<NoticeTable>[] = [
  { area: 'content', file: 'content.notices.ts', value: contentContent },
  { area: 'contract', file: 'contract.notices.ts', value: contractContract },
  { area: 'entities', file: 'entities.notices.ts', value: entitiesEntities },
  { area: 'facts', file: 'facts.notices.ts', value: factsFacts },
  { area: 'graph', file: 'graph.notices.ts', value: graphGraph },
  { area: 'health', file: 'onboarding.notices.ts', value: healthOnboarding },
  { area: 'ingest', file: 'ingest.notices.ts', value: ingestIngest },
  { area: 'models', file: 'models.notices.ts', value: modelsModels },
  { area: 'pages', file: 'pages.notices.ts', value: pagesPages },
  { area: 'search', file: 'search.notices.ts', value: searchSearch },
  { area: 'setup', file: 'setup.notices.ts', value: setupSetup },
  { area: 'spend', file: 'spend.notices.ts', value: spendSpend },
];
