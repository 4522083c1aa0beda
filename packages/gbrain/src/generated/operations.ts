// Written by npm run generate from areas/*/*.op.ts; do not edit.
import type { Operation } from '../operation.ts';
import type { Registered } from '../registry.ts';

export const operations: readonly Registered<Operation>[] = [
];
