// Written by npm run generate from areas/*/*.config.ts; do not edit.
import type { SettingTable } from '../settings.ts';
import type { Registered } from '../registry.ts';
import configConfig from '../areas/config/config.config.ts';
import extractionExtraction from '../areas/extraction/extraction.config.ts';
import factsFacts from '../areas/facts/facts.config.ts';
import modelsModels from '../areas/models/models.config.ts';
import spendSpend from '../areas/spend/spend.config.ts';
import vectorsVectors from '../areas/vectors/vectors.config.ts';

export const settings: readonly Registered<SettingTable>[] = [
  { area: 'config', file: 'config.config.ts', value: configConfig },
  { area: 'extraction', file: 'extraction.config.ts', value: extractionExtraction },
  { area: 'facts', file: 'facts.config.ts', value: factsFacts },
  { area: 'models', file: 'models.config.ts', value: modelsModels },
  { area: 'spend', file: 'spend.config.ts', value: spendSpend },
  { area: 'vectors', file: 'vectors.config.ts', value: vectorsVectors },
];
