// What a loop is given for one activation: what it starts from, and the callbacks of Brain. Types only.
import type { EnvironmentControlRequest, EnvironmentView } from '@gbrain/brain-protocol/environment';
import type { Event, EventPage } from '@gbrain/brain-protocol/event';
import type { RunModel } from '@gbrain/brain-protocol/harness';
import type { EnvironmentRef } from '@gbrain/brain-protocol/ids';
import type { JsonObject, JsonValue } from '@gbrain/brain-protocol/json';
import type { Message, ModelRequest, ModelResult } from '@gbrain/brain-protocol/message';
import type { UserInput } from '@gbrain/brain-protocol/session';
import type { ToolInvocation, ToolReturn, ToolView } from '@gbrain/brain-protocol/tool';

/** The map that a session keeps for its loop. Keys that begin with `brain.` are refused to writers. */
export interface KeyValues {
  /** The value; undefined when there is none. */
  get(key: string): Promise<JsonValue | undefined>;
  /** Gives the committed position. */
  set(key: string, value: JsonValue): Promise<number>;
  delete(key: string): Promise<number>;
}

/** Environment control, within the grants of the session. An old reference controls nothing. */
export interface Environments {
  list(): Promise<EnvironmentView[]>;
  get(environment: EnvironmentRef): Promise<EnvironmentView>;
  create(template: string, name: string, configuration?: JsonValue): Promise<EnvironmentView>;
  setup(environment: EnvironmentRef): Promise<EnvironmentView>;
  update(environment: EnvironmentRef, configuration: JsonValue): Promise<EnvironmentView>;
  delete(environment: EnvironmentRef): Promise<EnvironmentView>;
  /** Calls a method of the environment's own; gives its output. */
  call(environment: EnvironmentRef, method: string, input: JsonValue): Promise<JsonValue>;
  /** Any control request as it is; gives the answer as it is. */
  request(request: EnvironmentControlRequest): Promise<unknown>;
}

/**
 * One activation. Every callback rejects with a CallError, and works only until `run` has returned: await each one.
 * Callbacks reach Brain in the order in which they are made.
 */
export interface RunContext {
  readonly sessionId: string;
  /** Journal record that names the activation. */
  readonly sequence: number;
  /** The session's own folder; it exists. Native state lives there and nowhere else. */
  readonly stateDir: string;
  /** Advice on the session's model, never a credential; what is unknown is absent. */
  readonly modelInfo: RunModel;
  /** What the user says; absent when events caused the activation. */
  readonly input: UserInput | undefined;
  /** Messages that earlier activations saved. */
  readonly transcript: readonly Message[];
  /** What happened outside the loop since the last activation, at most 1,000. */
  readonly pendingEvents: readonly Event[];
  /** The key-value map as the activation began; `kv` reads and writes the present one. */
  readonly initialKv: JsonObject;
  /** The deployment's configuration with the session's over it. */
  readonly configuration: JsonObject;
  /** The session's system prompt; a model call without `system` uses it by itself. */
  readonly system: string;
  readonly tools: readonly ToolView[];
  /** Journal time and 32 bytes of seed: the same for the same activation. */
  readonly runtime: { readonly logicalTimeMs: number; readonly seed: readonly number[] };
  /** Aborted when Brain cancels the activation, when a callback failed fatally, or when the connection ends. */
  readonly signal: AbortSignal;
  /** One model call, sent once. */
  model(request: ModelRequest): Promise<ModelResult>;
  /** Tool calls, in parallel; resolves when each has returned or ended, in the order of the calls. */
  dispatch(calls: readonly ToolInvocation[]): Promise<ToolReturn[]>;
  /** Events after a cursor. */
  events(after: number): Promise<EventPage>;
  /** An event of the loop; `output_emitted` with `{type: "assistant_message", message}` is its answer. */
  emit(eventType: string, data: JsonValue): Promise<number>;
  /** Replaces the saved transcript; gives the committed position. */
  setTranscript(messages: readonly Message[]): Promise<number>;
  readonly kv: KeyValues;
  readonly environments: Environments;
  /** A diagnostic, best effort, never journaled. */
  telemetry(record: JsonValue): Promise<void>;
}
