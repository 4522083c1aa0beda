// The kind of file that declares a background job: `areas/<area>/<verb>.job.ts`.
import type { ZodRawShape } from 'zod';
import type { OpenBrain } from './brain.ts';
import type { Z } from './operation.ts';

/** A job that the owner runs beside the calls that it serves. */
export interface Job {
  name: string;
  /** One sentence for the docs. */
  summary: string;
  requirement: string;
  /** Arguments that are stored with the job. */
  input: (z: Z) => ZodRawShape;
  run(brain: OpenBrain, input: Record<string, unknown>, signal: AbortSignal): Promise<void>;
}

/** Declares a job; the default export of its file. */
export const defineJob = (job: Job): Job => job;
