// Written by npm run generate from areas/*/*.check.ts; do not edit.
import type { Check } from '../check.ts';
import type { Registered } from '../registry.ts';

export const checks: readonly Registered<Check>[] = [
];
