// What a request to create a session must fulfil beyond its shape. Whether hosts and workers exist is asked elsewhere.

import type { JsonObject } from '@gbrain/brain-protocol/json';
import type { CreateSessionRequest, SessionConfiguration } from '@gbrain/brain-protocol/session';
import type { EnvironmentGrant } from '@gbrain/brain-protocol/tool';
import { checkEnvironmentUrl } from '../effects/environment-client.ts';
import { Refusal } from './refusal.ts';
import type { FindSchemaFault } from './schema-fault.ts';

/** Refuses names that are taken twice, what names nothing, URLs that are not safe, and schemas that nothing can fit. */
export function checkCreateRequest(request: CreateSessionRequest, findFault: FindSchemaFault): void {
  const { tools, environments, agentloop } = request;
  refuseRepeated(
    'tool',
    tools.map((tool) => tool.name),
  );
  refuseRepeated(
    'environment',
    environments.map((environment) => environment.name),
  );
  const names = new Set(environments.map((environment) => environment.name));
  for (const { name, placements, environments: grants = [], input_schema, output_schema } of tools) {
    checkSchemas(`tool ${name}`, { input_schema, output_schema }, findFault);
    for (const place of Object.keys(placements)) {
      if (!names.has(place))
        throw new Refusal('invalid_request', `The tool ${name} is placed in ${place}, which is not declared.`);
    }
    checkGrants(grants, names);
  }
  checkGrants(agentloop.environments ?? [], names);
  for (const environment of environments) {
    refuseRepeated(
      'method',
      (environment.methods ?? []).map((method) => method.name),
    );
    for (const { name, input_schema, output_schema } of environment.methods ?? []) {
      checkSchemas(`method ${name} of ${environment.name}`, { input_schema, output_schema }, findFault);
    }
    const { configuration_schema } = environment.template ?? {};
    checkSchemas(`template ${environment.name}`, { configuration_schema }, findFault);
    if (environment.driver === 'http') checkEnvironmentUrl(environment.url);
  }
}

function refuseRepeated(what: string, names: string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Refusal('invalid_request', `The ${what} ${name} is declared twice.`);
    seen.add(name);
  }
}

function checkGrants(grants: readonly EnvironmentGrant[], names: ReadonlySet<string>): void {
  for (const { environment } of grants) {
    if (!names.has(environment))
      throw new Refusal('invalid_request', `A grant names ${environment}, which is not declared.`);
  }
}

function checkSchemas(
  owner: string,
  schemas: Record<string, JsonObject | undefined>,
  findFault: FindSchemaFault,
): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const fault = schema && findFault(schema);
    if (fault === undefined) continue;
    const message = `The ${name} of the ${owner} is no usable JSON Schema. ${fault}`;
    throw new Refusal('invalid_request', message, { details: { reason: 'invalid_schema' } });
  }
}

/** What is fixed at creation, without secrets. `merged` is the loop's configuration with the deployment's under it. */
export function toConfiguration(request: CreateSessionRequest, merged: JsonObject): SessionConfiguration {
  const { agentloop, model, system = '', response_format, tools, environments, idle_ttl_ms } = request;
  return {
    agentloop: { ...agentloop, configuration: merged },
    model: { provider: model.provider, name: model.name },
    system,
    ...(response_format !== undefined && { response_format }),
    tools,
    environments: environments.map((environment) => {
      if (environment.driver === 'host') return environment;
      const { credential: _, ...rest } = environment;
      return rest;
    }),
    ...(idle_ttl_ms !== undefined && { idle_ttl_ms }),
  };
}

/** The values of a request that are sealed, by name. */
export function collectSecrets(request: CreateSessionRequest): Map<string, string> {
  const secrets = new Map([['model', request.model.api_key]]);
  for (const environment of request.environments) {
    if (environment.driver === 'http' && environment.credential !== undefined) {
      secrets.set(`environment:${environment.name}`, environment.credential);
    }
  }
  return secrets;
}
