// Written by npm run generate from areas/*/*.part.ts; do not edit.
import type { DerivedPart } from '../part.ts';
import type { Registered } from '../registry.ts';

export const parts: readonly Registered<DerivedPart>[] = [
];
