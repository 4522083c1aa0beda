// Control of a session's environments, as methods: the same for its owner and for a tool. How a request goes is given.
import type { EnvironmentControlRequest, EnvironmentView } from '@gbrain/brain-protocol/environment';
import type { EnvironmentRef } from '@gbrain/brain-protocol/ids';
import type { JsonValue } from '@gbrain/brain-protocol/json';

/** Environments of a session; each method needs its permission when a tool calls it. */
export interface SessionEnvironments {
  list(): Promise<EnvironmentView[]>;
  get(environment: EnvironmentRef): Promise<EnvironmentView>;
  create(template: string, name: string, configuration?: JsonValue): Promise<EnvironmentView>;
  setup(environment: EnvironmentRef): Promise<EnvironmentView>;
  update(environment: EnvironmentRef, configuration: JsonValue): Promise<EnvironmentView>;
  delete(environment: EnvironmentRef): Promise<EnvironmentView>;
  call(environment: EnvironmentRef, method: string, input: JsonValue): Promise<JsonValue>;
}

/** The methods over a function that sends one request and gives its answer: all views, an output, or one view. */
export function toEnvironments(ask: <T>(request: EnvironmentControlRequest) => Promise<T>): SessionEnvironments {
  const view = (request: EnvironmentControlRequest) => ask<EnvironmentView>(request);
  return {
    list: async () => (await ask<{ environments: EnvironmentView[] }>({ operation: 'list' })).environments,
    get: (environment) => view({ operation: 'get', environment }),
    create: (template, name, configuration) =>
      view({ operation: 'create', template, name, ...(configuration !== undefined && { configuration }) }),
    setup: (environment) => view({ operation: 'setup', environment }),
    update: (environment, configuration) => view({ operation: 'update', environment, configuration }),
    delete: (environment) => view({ operation: 'delete', environment }),
    call: async (environment, method, input) =>
      (await ask<{ output: JsonValue }>({ operation: 'call', environment, method, input })).output,
  };
}
