// A tool as MCP lists it: name, title, one-line description, plain schema, annotations. Pure, from the registry.
import type { Operation } from '../operation.ts';
import { type WireSchema, wireSchema } from '../schema.ts';

/** One entry of tools/list. */
export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: WireSchema;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint: boolean;
  };
}

/** A tool's definition; `closed` forbids undeclared arguments, `listFullOnly` shows arguments of the full surface. */
export function toolDefinition(
  operation: Operation,
  options: { closed?: boolean; listFullOnly?: boolean } = {},
): ToolDefinition {
  return {
    name: operation.name,
    title: operation.title,
    description: operation.summary,
    inputSchema: wireSchema(operation, options),
    annotations: {
      readOnlyHint: !operation.mutating,
      ...(operation.mutating && {
        destructiveHint: operation.destructive === true,
        idempotentHint: operation.idempotent,
      }),
      openWorldHint: false,
    },
  };
}
