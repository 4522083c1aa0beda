// Environments: their declaration in a session, and the control service that lists, creates and changes them.
import { z } from 'zod';
import { EnvironmentRef, HostId, Identifier, Sequence, TimeMs } from './ids.ts';
import { Json, JsonRecord } from './json.ts';
import { EnvironmentGrant } from './tool.ts';

/** A named operation of an environment. `replace` makes a new incarnation and needs a session at rest. */
export const EnvironmentMethod = z.strictObject({
  name: Identifier,
  description: z.string().max(65_536).optional(),
  input_schema: JsonRecord.optional(),
  output_schema: JsonRecord.optional(),
  effect: z.enum(['call', 'replace']).optional(),
});
export type EnvironmentMethod = z.infer<typeof EnvironmentMethod>;

/** Makes a declaration a template: instances of it are created later and inherit driver, methods and placements. */
export const EnvironmentTemplate = z.strictObject({
  max_instances: z.int().min(1).max(128),
  configuration_schema: JsonRecord.optional(),
});
export type EnvironmentTemplate = z.infer<typeof EnvironmentTemplate>;

const declaration = {
  name: Identifier,
  configuration: Json.optional(),
  lifecycle: z.enum(['automatic', 'manual']).optional(),
  environments: z.array(EnvironmentGrant).max(128).optional(),
  methods: z.array(EnvironmentMethod).max(128).optional(),
  template: EnvironmentTemplate.optional(),
};

/** Tools run in a client process that holds `GET /v1/hosts/{id}/commands`. */
export const HostEnvironment = z.strictObject({ ...declaration, driver: z.literal('host'), host_id: HostId });

/** Tools run in a service that speaks `environment/v1`; HTTPS, or HTTP on loopback. */
export const HttpEnvironment = z.strictObject({
  ...declaration,
  driver: z.literal('http'),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  credential: z.string().min(1).max(16_384).optional(),
});

/** A place where tools run. `lifecycle` defaults to `automatic`: set up before the creation answers. */
export const Environment = z.discriminatedUnion('driver', [HostEnvironment, HttpEnvironment]);
export type Environment = z.infer<typeof Environment>;

/** An environment as records and views show it: without its credential. */
export const PublicEnvironment = z.discriminatedUnion('driver', [
  HostEnvironment,
  HttpEnvironment.omit({ credential: true }),
]);
export type PublicEnvironment = z.infer<typeof PublicEnvironment>;

/** Where an environment is in its life. */
export const EnvironmentState = z.enum([
  'declared',
  'starting',
  'ready',
  'failed',
  'unknown',
  'deleting',
  'deleted',
  'detached',
]);
export type EnvironmentState = z.infer<typeof EnvironmentState>;

/** One request to the control service. An `environment` names an incarnation, so an old reference controls nothing. */
export const EnvironmentControlRequest = z.discriminatedUnion('operation', [
  z.strictObject({ operation: z.literal('list') }),
  z.strictObject({ operation: z.literal('get'), environment: EnvironmentRef }),
  z.strictObject({
    operation: z.literal('create'),
    template: Identifier,
    name: Identifier,
    configuration: Json.optional(),
  }),
  z.strictObject({ operation: z.literal('setup'), environment: EnvironmentRef }),
  z.strictObject({ operation: z.literal('update'), environment: EnvironmentRef, configuration: Json }),
  z.strictObject({ operation: z.literal('delete'), environment: EnvironmentRef }),
  z.strictObject({ operation: z.literal('call'), environment: EnvironmentRef, method: Identifier, input: Json }),
]);
export type EnvironmentControlRequest = z.infer<typeof EnvironmentControlRequest>;

/** What a reporter saw, newest first of its scope. */
export const EnvironmentObservation = z.discriminatedUnion('scope', [
  z.strictObject({
    scope: z.literal('environment'),
    availability: z.enum(['available', 'unavailable', 'unknown']),
    message: z.string().max(4096).optional(),
  }),
  z.strictObject({
    scope: z.literal('resource'),
    resource: z.string().min(1).max(256),
    code: z.string().min(1).max(128),
    message: z.string().max(4096).optional(),
  }),
  z.strictObject({
    scope: z.literal('operation'),
    sequence: Sequence,
    resolution: z.enum(['ended', 'failed']),
    message: z.string().max(4096).optional(),
  }),
]);
export type EnvironmentObservation = z.infer<typeof EnvironmentObservation>;

/** One environment as the control service shows it. */
export const EnvironmentView = z.strictObject({
  reference: EnvironmentRef,
  template: Identifier.optional(),
  lifecycle: z.enum(['automatic', 'manual']),
  state: EnvironmentState,
  configuration: Json,
  methods: z.array(EnvironmentMethod),
  tools: z.array(Identifier),
  pending_operation: z.strictObject({ operation: z.string(), sequence: Sequence }).optional(),
  availability: z.enum(['available', 'unavailable', 'unknown']).optional(),
  observed_at_ms: TimeMs.optional(),
  observation: EnvironmentObservation.optional(),
});
export type EnvironmentView = z.infer<typeof EnvironmentView>;

/** What the control service answers: `list` all views, `call` the method's output, anything else one view. */
export const EnvironmentControlResult = z.union([
  z.strictObject({ environments: z.array(EnvironmentView) }),
  z.strictObject({ environment: EnvironmentView }),
  z.strictObject({ output: Json }),
]);
export type EnvironmentControlResult = z.infer<typeof EnvironmentControlResult>;
