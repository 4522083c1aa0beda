// The startup map of registrations (`--agentloops`, `BRAIN_AGENTLOOPS`): shape only, nothing is looked up here.
import { z } from 'zod';
import { RegistrationName } from './ids.ts';
import { JsonRecord } from './json.ts';

/** How one harness is started, how often, and how many runs a worker takes at once. */
export const Registration = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  configuration: JsonRecord.optional(),
  workers: z.int().min(1).max(1024).optional(),
  max_concurrency: z.int().min(1).max(65_536).optional(),
});
export type Registration = z.infer<typeof Registration>;

/** Name to registration. Source: Harness protocol. */
export const RegistrationMap = z.record(RegistrationName, Registration);
export type RegistrationMap = z.infer<typeof RegistrationMap>;

/** Defaults of a registration. Source: Harness protocol. */
export const REGISTRATION_DEFAULTS = { workers: 1, maxConcurrency: 64 } as const;
