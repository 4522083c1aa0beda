// The client of one Brain server: sessions, models, and this process as a host for tools. It keeps no session's state.
import type { HostCredentials as HostRegistration } from '@gbrain/brain-protocol/host';
import type { JsonObject, JsonValue } from '@gbrain/brain-protocol/json';
import type { Message } from '@gbrain/brain-protocol/message';
import type {
  AgentloopSelection,
  CreateSessionRequest,
  ModelsView,
  SessionList,
  SessionSummary,
} from '@gbrain/brain-protocol/session';
import type { EnvironmentGrant } from '@gbrain/brain-protocol/tool';
import type { ClientEnvironment, EnvironmentDeclaration } from './environment.ts';
import { BrainError } from './errors.ts';
import { type LiveFrame, type SessionEvent, streamSession } from './events.ts';
import { type HostCredentials, ToolHost } from './host.ts';
import { SessionHandle, type SessionPorts } from './session.ts';
import type { ClientTool } from './tool.ts';
import { Transport, type TransportOptions } from './transport.ts';

export type { SessionEnvironments } from './control.ts';
export { type ClientEnvironment, environment, HOST_ENVIRONMENT, hostEnv } from './environment.ts';
export { BrainError, StructuredOutputError } from './errors.ts';
export { isEvent, type KernelEvent, type LiveFrame, type SessionEvent } from './events.ts';
export type { HostCredentials } from './host.ts';
export { type SendOptions, SessionHandle } from './session.ts';
export { type ClientTool, type ToolContext, type ToolFactory, tool, toolOutput } from './tool.ts';
export type { TurnOutcome } from './turn.ts';

/** How a client is made. */
export interface BrainOptions extends TransportOptions {
  /** Of an earlier `credentials()`: the same host again, so that its sessions find their tools after a restart. */
  credentials?: HostCredentials;
  /** Hears what fails in the background: a command stream that is refused, a result that could not be delivered. */
  onError?(error: Error): void;
}

/** `automatic`: set up before the session's creation answers. `manual`: by whoever may, when it is wanted. */
export type Lifecycle = 'automatic' | 'manual';

/** Choices of a new session. */
export interface CreateSessionOptions {
  model: { provider: string; name: string; apiKey: string };
  /** A registration by name, or with its configuration and grants. Default: `default`, Brain's own loop. */
  agentloop?: string | AgentloopSelection;
  tools?: readonly ClientTool[];
  /** Environments beside those that the tools were placed in: values, or declarations as the session API takes them. */
  environments?: readonly (ClientEnvironment | EnvironmentDeclaration)[];
  /** When services are set up, for those that do not say it themselves: by name, and otherwise. */
  environment?: { lifecycle?: { default?: Lifecycle; bindings?: Record<string, Lifecycle> } };
  system?: string;
  responseFormat?: JsonValue;
  transcript?: Message[];
  /** 0 keeps the session in memory for ever. */
  idleTtlMs?: number;
}

/** Sessions of a server. */
export interface Sessions {
  /** Makes a session. Its model key is sealed by the server and never shown again. */
  create(options: CreateSessionOptions, choice?: { idempotencyKey?: string }): Promise<SessionHandle>;
  /** An existing session; `tools` are those of this process that it was created with. */
  get(id: string, choice?: { tools?: readonly ClientTool[] }): Promise<SessionHandle>;
  /** One page, ordered by id; `next` goes into `after` while there is more. */
  list(choice?: { after?: string; limit?: number }): Promise<SessionList>;
}

/** A client. Made without a connection; the first tool of this process opens one. */
export class Brain {
  readonly sessions: Sessions;
  readonly #transport: Transport;
  readonly #options: BrainOptions;
  #host: Promise<ToolHost> | undefined;
  #credentials: HostCredentials | undefined;

  constructor(options: BrainOptions) {
    this.#options = options;
    this.#transport = new Transport(options);
    this.#credentials = options.credentials;
    this.sessions = {
      create: (choice, { idempotencyKey } = {}) => this.#create(choice, idempotencyKey),
      get: (id, { tools = [] } = {}) => this.#get(id, tools),
      list: (choice) => this.#list(choice),
    };
  }

  /** What the server knows of model providers: no credentials, no addresses. */
  models(provider?: string): Promise<ModelsView> {
    const query = provider === undefined ? '' : `?provider=${encodeURIComponent(provider)}`;
    return this.#transport.request('GET', `/v1/models${query}`);
  }

  /** Records and live frames of any session after a cursor, as its handle's `stream` gives them. */
  stream(sessionId: string, after = 0, signal?: AbortSignal): AsyncGenerator<SessionEvent | LiveFrame> {
    return streamSession(this.#transport, sessionId, after, signal);
  }

  /** Makes this process a host for tools, once; `sessions.create` does it by itself. */
  async register(): Promise<HostCredentials> {
    return (await this.#openHost()).credentials;
  }

  /** The host's id and token: kept, they serve the same sessions after a restart. Undefined before there is one. */
  credentials(): HostCredentials | undefined {
    return this.#credentials;
  }

  /** A client of the same server with another token. It shares nothing with this one. */
  withToken(token: string): Brain {
    return new Brain({ ...this.#options, token });
  }

  /** Ends every request, stream and running tool of this process. Sessions go on. Repeating it does nothing. */
  close(): void {
    this.#transport.close();
  }

  async #create(options: CreateSessionOptions, idempotencyKey: string = crypto.randomUUID()): Promise<SessionHandle> {
    const { tools = [] } = options;
    const local = tools.filter((one) => one.isLocal);
    const environments = collectEnvironments(options);
    const needsHost = environments.some((one) => 'isLocal' in one && one.isLocal);
    const host = needsHost ? await this.#openHost() : undefined;
    const hostId = host?.credentials.hostId;
    const declared = environments.map((one) =>
      withLifecycle('isLocal' in one ? one.toDeclaration(hostId) : one, options.environment?.lifecycle),
    );
    const body = toCreateRequest(options, declared);
    const summary = await this.#transport.request<SessionSummary>('POST', '/v1/sessions', {
      body,
      key: idempotencyKey,
    });
    host?.attach(summary.session_id, local);
    return this.#toHandle(summary);
  }

  async #get(id: string, tools: readonly ClientTool[]): Promise<SessionHandle> {
    const summary = await this.#transport.request<SessionSummary>('GET', `/v1/sessions/${encodeURIComponent(id)}`);
    const local = tools.filter((one) => one.isLocal);
    if (local.length > 0) {
      if (!this.#credentials) {
        throw new BrainError('invalid_request', 'Give the credentials of the host that the session was created with.');
      }
      (await this.#openHost((host) => host.attach(id, local))).attach(id, local);
    }
    return this.#toHandle(summary);
  }

  #list({ after, limit }: { after?: string; limit?: number } = {}): Promise<SessionList> {
    const query = new URLSearchParams();
    if (after !== undefined) query.set('after', after);
    if (limit !== undefined) query.set('limit', String(limit));
    return this.#transport.request('GET', `/v1/sessions${query.size > 0 ? `?${query}` : ''}`);
  }

  /** `prepare` runs before the first command can come. */
  #openHost(prepare: (host: ToolHost) => void = () => {}): Promise<ToolHost> {
    this.#host ??= this.#connectHost(prepare).catch((error: unknown) => {
      this.#host = undefined;
      throw error;
    });
    return this.#host;
  }

  async #connectHost(prepare: (host: ToolHost) => void): Promise<ToolHost> {
    this.#credentials ??= await this.#registerHost();
    const host = new ToolHost(this.#transport, this.#credentials, (error) => this.#options.onError?.(error));
    prepare(host);
    await host.connect();
    return host;
  }

  async #registerHost(): Promise<HostCredentials> {
    // One that was made and not told is forgotten by the server.
    const registered = await this.#transport.request<HostRegistration>('POST', '/v1/hosts', { isRepeatable: true });
    const { host_id, token } = registered;
    return { hostId: host_id, token };
  }

  #toHandle(summary: SessionSummary): SessionHandle {
    const ports: SessionPorts = {
      transport: this.#transport,
      newKey: () => crypto.randomUUID(),
      onGone: (id) => void this.#host?.then((host) => host.detach(id)),
    };
    return new SessionHandle(summary, ports);
  }
}

/** Selects a registration of the server, for `create`. */
export function agentloop(
  name: string,
  configuration?: JsonObject,
  environments?: EnvironmentGrant[],
): AgentloopSelection {
  return { name, ...(configuration && { configuration }), ...(environments && { environments }) };
}

/** Environments of a session, each once: those of its tools, those that were given, and declarations as they are. */
function collectEnvironments({ tools = [], environments = [] }: CreateSessionOptions) {
  const declared = environments.filter((one) => !('isLocal' in one));
  const values = environments.filter((one) => 'isLocal' in one);
  const byName = new Map<string, ClientEnvironment>();
  for (const one of [...values, ...tools.flatMap((each) => each.environments)]) {
    const known = byName.get(one.name);
    const isSame = !known || known === one || (known.isLocal && one.isLocal);
    if (!isSame) throw new TypeError(`two environments are named ${one.name}`);
    byName.set(one.name, one);
  }
  return [...declared, ...byName.values()];
}

/** A service's declaration with the session's choice, when it makes none of its own. */
function withLifecycle(
  declaration: EnvironmentDeclaration,
  { default: otherwise, bindings = {} }: { default?: Lifecycle; bindings?: Record<string, Lifecycle> } = {},
): EnvironmentDeclaration {
  const chosen = Object.hasOwn(bindings, declaration.name) ? bindings[declaration.name] : otherwise;
  if (declaration.driver === 'host' || declaration.lifecycle || !chosen) return declaration;
  return { ...declaration, lifecycle: chosen };
}

function toCreateRequest(options: CreateSessionOptions, environments: EnvironmentDeclaration[]): CreateSessionRequest {
  const { model, agentloop: loop = 'default', tools = [], system, transcript } = options;
  const { responseFormat, idleTtlMs } = options;
  return {
    agentloop: typeof loop === 'string' ? { name: loop } : loop,
    model: { provider: model.provider, name: model.name, api_key: model.apiKey },
    tools: tools.map((one) => one.toDeclaration()),
    environments,
    ...(system !== undefined && { system }),
    ...(responseFormat !== undefined && { response_format: responseFormat }),
    ...(transcript !== undefined && { transcript }),
    ...(idleTtlMs !== undefined && { idle_ttl_ms: idleTtlMs }),
  };
}
