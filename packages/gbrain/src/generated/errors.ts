// Written by npm run generate from areas/*/*.errors.ts; do not edit.
import type { ErrorTable } from '../failure.ts';
import type { Registered } from '../registry.ts';
import contractContract from '../areas/contract/contract.errors.ts';

export const errors: readonly Registered<ErrorTable>[] = [
  { area: 'contract', file: 'contract.errors.ts', value: contractContract },
];
