// Names and numbers that identify things on the wire; no shape of a request belongs here.
import { z } from 'zod';

/** A session: `ses_` and 20 to 32 letters and digits. */
export const SessionId = z.string().regex(/^ses_[A-Za-z0-9]{20,32}$/);

/** A client process that runs tools: `host_` and 20 to 32 letters and digits. */
export const HostId = z.string().regex(/^host_[A-Za-z0-9]{20,32}$/);

/** Environment, tool, event kind, KV key or method: 1 to 128 characters, the first a letter or digit. */
export const Identifier = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);

/** A registration of the startup map: 1 to 64 letters, digits, underscores or hyphens. Source: Harness protocol. */
export const RegistrationName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** Position of a record in its session: dense from 1, one counter for everything. */
export const Sequence = z.int().min(1);

/** The last sequence that a reader has seen; 0 is the start. */
export const Cursor = z.int().min(0);

/** Milliseconds since 1970. */
export const TimeMs = z.int().min(0);

/** One incarnation of an environment: the record that declared or replaced it. The first has sequence 1. */
export const EnvironmentRef = z.strictObject({ name: Identifier, sequence: Sequence });
export type EnvironmentRef = z.infer<typeof EnvironmentRef>;
