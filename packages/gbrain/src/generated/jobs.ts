// Written by npm run generate from areas/*/*.job.ts; do not edit.
import type { Job } from '../job.ts';
import type { Registered } from '../registry.ts';

export const jobs: readonly Registered<Job>[] = [
];
