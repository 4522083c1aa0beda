// Places where the tools of a session run, as values: this process under a name, and services. It connects to nothing.
import type { JsonObject, JsonValue } from '@gbrain/brain-protocol/json';
import type { CreateSessionRequest } from '@gbrain/brain-protocol/session';
import type { EnvironmentGrant } from '@gbrain/brain-protocol/tool';
import { z } from 'zod';

/** A schema: a zod type (then values are parsed with it) or a JSON Schema (then Brain alone checks). */
export type ClientSchema = z.ZodType | JsonObject;

/** One environment as the session API takes it. */
export type EnvironmentDeclaration = CreateSessionRequest['environments'][number];

/** Name of the environment in which tools of this process are placed by default. Source: sessions facts G.1. */
export const HOST_ENVIRONMENT = 'brain-sdk-host';

/** An environment that a session can be created with, and a tool can be placed in. */
export interface ClientEnvironment {
  readonly name: string;
  /** It is this process: its tools run here. */
  readonly isLocal: boolean;
  /** The declaration; `hostId` is this process as a host, and only a local one needs it. */
  toDeclaration(hostId: string | undefined): EnvironmentDeclaration;
}

/** This process as an environment. Several names let a loop tell apart, say, a sandbox and the user's own folder. */
export function hostEnv({ name = HOST_ENVIRONMENT }: { name?: string } = {}): ClientEnvironment {
  return {
    name,
    isLocal: true,
    toDeclaration(hostId) {
      if (hostId === undefined) throw new TypeError(`${name} is this process, which is no host yet`);
      return { name, driver: 'host', host_id: hostId };
    },
  };
}

/** A method that a session's owner, its loop or its tools may call, when granted. */
export interface MethodDefinition {
  description?: string;
  input?: ClientSchema;
  output?: ClientSchema;
  /** `replace` gives the environment a new incarnation: references to the old one control nothing any more. */
  effect?: 'call' | 'replace';
}

/** A service that speaks `environment/v1`, as it is written once and used under many names. */
export interface EnvironmentDefinition<S extends z.ZodType = z.ZodType> {
  /** HTTPS, or HTTP on loopback. */
  url: string;
  /** Sealed by the server, never shown again; sent to the service as its bearer token. */
  credential?: string;
  /** What the user of the environment chooses. */
  options?: S;
  /** From the options to the configuration that the service gets; without it the options are the configuration. */
  configure?(options: z.output<S>): JsonValue;
  /** `automatic` (default): set up before the session's creation answers. */
  lifecycle?: 'automatic' | 'manual';
  methods?: Record<string, MethodDefinition>;
  /** Nothing is set up at creation; instances are made later by whoever may. */
  template?: { maxInstances: number; configuration?: ClientSchema };
  /** Environments that this one may control. */
  environments?: EnvironmentGrant[];
}

/** Gives an environment its name and its options; options that do not fit throw a ZodError. */
export type EnvironmentFactory<S extends z.ZodType> = (name: string, options?: z.input<S>) => ClientEnvironment;

/** Defines an environment that a service provides. */
export function environment<S extends z.ZodType>(definition: EnvironmentDefinition<S>): EnvironmentFactory<S> {
  const { url, credential, lifecycle, methods = {}, template, environments } = definition;
  return (name, given) => {
    const configuration = toConfiguration(definition, given);
    const declaration: EnvironmentDeclaration = {
      name,
      driver: 'http',
      url,
      ...(credential !== undefined && { credential }),
      ...(configuration !== undefined && { configuration }),
      ...(lifecycle && { lifecycle }),
      ...(environments && { environments }),
      methods: Object.entries(methods).map(toMethod),
      ...(template && { template: toTemplate(template) }),
    };
    return { name, isLocal: false, toDeclaration: () => declaration };
  };
}

function toConfiguration<S extends z.ZodType>(
  { options, configure }: EnvironmentDefinition<S>,
  given: z.input<S> | undefined,
): JsonValue | undefined {
  if (!options) return given as JsonValue | undefined;
  const parsed = options.parse(given ?? {});
  return configure ? configure(parsed) : (parsed as JsonValue);
}

function toMethod([name, { description, input, output, effect }]: [string, MethodDefinition]) {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(input && { input_schema: toJsonSchema(input) }),
    ...(output && { output_schema: toJsonSchema(output) }),
    ...(effect && { effect }),
  };
}

function toTemplate({ maxInstances, configuration }: { maxInstances: number; configuration?: ClientSchema }) {
  return {
    max_instances: maxInstances,
    ...(configuration && { configuration_schema: toJsonSchema(configuration) }),
  };
}

/** A schema as JSON Schema, as what comes in has to look. */
export function toJsonSchema(schema: ClientSchema): JsonObject {
  if (!(schema instanceof z.ZodType)) return schema;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest as JsonObject;
}
