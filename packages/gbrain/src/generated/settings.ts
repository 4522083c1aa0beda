// Written by npm run generate from areas/*/*.config.ts; do not edit.
import type { SettingTable } from '../settings.ts';
import type { Registered } from '../registry.ts';

export const settings: readonly Registered<SettingTable>[] = [
];
