// The shapes of JSON-RPC 2.0 messages and their one parser; it keeps no state and calls no method.

/** A request id. Ids of the two directions are separate, and `1` is not `"1"`. */
export type JsonRpcId = string | number;

/** A request: it is answered exactly once. */
export interface JsonRpcRequest {
  jsonrpc: '2.0';
  id: JsonRpcId;
  method: string;
  params?: JsonRpcParams;
}

/** A notification: it is never answered. */
export interface JsonRpcNotification {
  jsonrpc: '2.0';
  method: string;
  params?: JsonRpcParams;
}

/** The answer to a request. */
export type JsonRpcResponse =
  | { jsonrpc: '2.0'; id: JsonRpcId; result: unknown }
  | { jsonrpc: '2.0'; id: JsonRpcId | null; error: JsonRpcErrorObject };

/** Any message that a peer sends. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** By name or by position. */
export type JsonRpcParams = Record<string, unknown> | unknown[];

/** An error on the wire. */
export interface JsonRpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** The numbers that JSON-RPC and its users reserve. */
export const RPC_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** A service's own error; `data.code` says which. */
  service: -32000,
  cancelled: -32800,
} as const;

/** An error of a request: thrown by a handler to be sent, and what a pending request rejects with when it arrives. */
export class JsonRpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'JsonRpcError';
    this.code = code;
    this.data = data;
  }

  /** The error as it is sent; `data` is left out when there is none. */
  toObject(): JsonRpcErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** A message as the peer acts on it. */
export type ParsedMessage =
  | { kind: 'request'; id: JsonRpcId; method: string; params: JsonRpcParams | undefined }
  | { kind: 'notification'; method: string; params: JsonRpcParams | undefined }
  | { kind: 'result'; id: JsonRpcId; result: unknown }
  | { kind: 'error'; id: JsonRpcId | null; error: JsonRpcErrorObject }
  /** `id` is set when the message asked for an answer that can be addressed. */
  | { kind: 'invalid'; reason: string; id?: JsonRpcId };

/** A decoded JSON value as a message. Batches are refused: neither protocol of ours has them. */
export function parseMessage(value: unknown): ParsedMessage {
  if (Array.isArray(value)) return { kind: 'invalid', reason: 'batches are not supported' };
  if (!isObject(value)) return { kind: 'invalid', reason: 'a message is an object' };
  const id = isId(value.id) ? value.id : undefined;
  const invalid = (reason: string): ParsedMessage =>
    id !== undefined && 'method' in value ? { kind: 'invalid', reason, id } : { kind: 'invalid', reason };
  if (value.jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"');
  if ('method' in value) return parseCall(value, invalid);
  return parseResponse(value, invalid);
}

function parseCall(value: Record<string, unknown>, invalid: (reason: string) => ParsedMessage): ParsedMessage {
  const { method, params, id } = value;
  if (typeof method !== 'string' || method === '') return invalid('method must be a non-empty string');
  if ('result' in value || 'error' in value) return invalid('a call has neither result nor error');
  if (params !== undefined && !isParams(params)) return invalid('params must be an object or an array');
  if (!('id' in value)) return { kind: 'notification', method, params };
  if (!isId(id)) return invalid('id must be a string or a finite number');
  return { kind: 'request', id, method, params };
}

function parseResponse(value: Record<string, unknown>, invalid: (reason: string) => ParsedMessage): ParsedMessage {
  const { id, error } = value;
  if ('result' in value === 'error' in value) return invalid('a response has either result or error');
  if ('result' in value) {
    return isId(id) ? { kind: 'result', id, result: value.result } : invalid('a result needs the id of its request');
  }
  if (!isId(id) && id !== null) return invalid('an error needs the id of its request, or null');
  if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== 'string') {
    return invalid('error must hold an integer code and a message');
  }
  const { code, message, data } = error as unknown as JsonRpcErrorObject;
  return { kind: 'error', id, error: data === undefined ? { code, message } : { code, message, data } };
}

function isId(id: unknown): id is JsonRpcId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

function isParams(params: unknown): params is JsonRpcParams {
  return Array.isArray(params) || isObject(params);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
