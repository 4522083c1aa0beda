// Written by npm run generate from areas/*/*.config.ts; do not edit.
import type { SettingTable } from '../settings.ts';
import type { Registered } from '../registry.ts';
import configConfig from '../areas/config/config.config.ts';
import factsFacts from '../areas/facts/facts.config.ts';

export const settings: readonly Registered<SettingTable>[] = [
  { area: 'config', file: 'config.config.ts', value: configConfig },
  { area: 'facts', file: 'facts.config.ts', value: factsFacts },
];
