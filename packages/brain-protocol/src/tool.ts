// Tools: their declaration in a session, one invocation, and what comes back. Knows no driver's wire.
import { z } from 'zod';
import { Event } from './event.ts';
import { Identifier, Sequence } from './ids.ts';
import { Json, JsonRecord } from './json.ts';
import { MediaBlock, TextBlock } from './message.ts';

/** What a grant allows on one environment. */
export const Permission = z.enum(['read', 'create', 'setup', 'update', 'delete', 'call']);
export type Permission = z.infer<typeof Permission>;

/** Lets a loop or a tool control one environment; `methods` narrows `call`, absent means all. */
export const EnvironmentGrant = z.strictObject({
  environment: Identifier,
  permissions: z.array(Permission).max(6),
  methods: z.array(Identifier).max(128).optional(),
});
export type EnvironmentGrant = z.infer<typeof EnvironmentGrant>;

/** How one environment implements a tool; `implementation` defaults to the tool's name. */
export const Placement = z.strictObject({ implementation: z.string().min(1).max(1024).optional() });

/** A tool of a session: one definition, and one placement for each environment that may run it. */
export const Tool = z.strictObject({
  name: Identifier,
  description: z.string().max(65_536),
  input_schema: JsonRecord,
  output_schema: JsonRecord.optional(),
  placements: z.record(Identifier, Placement),
  environments: z.array(EnvironmentGrant).max(128).optional(),
});
export type Tool = z.infer<typeof Tool>;

/** A tool as a loop sees it; `environment_refs` appear only when an incarnation other than the first is current. */
export const ToolView = z.strictObject({
  name: Identifier,
  description: z.string(),
  input_schema: JsonRecord,
  output_schema: JsonRecord,
  environments: z.array(Identifier),
  environment_refs: z.array(z.strictObject({ name: Identifier, sequence: Sequence })).optional(),
});
export type ToolView = z.infer<typeof ToolView>;

/**
 * One call in a batch. `call_id` is unique in the batch and is the loop's own; `environment_sequence` must name the
 * current incarnation when given, and must be given when that is not 1.
 */
export const ToolInvocation = z.strictObject({
  call_id: z.string().min(1).max(256),
  name: Identifier,
  environment: Identifier,
  environment_sequence: Sequence.optional(),
  input: Json,
});
/** The parsed form of `ToolInvocation`. */
export type ToolInvocation = z.infer<typeof ToolInvocation>;

/** Text and media for the model, beside the machine-readable output. */
export const ToolContent = z.array(z.union([TextBlock, MediaBlock])).max(128);

/** One observation of a call, as `tool_result_emitted` records it. */
export const ToolResult = z.strictObject({
  call_id: z.string().min(1).max(256),
  output: Json,
  is_error: z.boolean(),
  content: ToolContent.optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

/**
 * What `dispatch` gives for one invocation: the call's sequence, its records so far (observations and the ending),
 * and whether it has ended. A call that has not goes on in the background.
 */
export const ToolReturn = z.strictObject({
  call_id: z.string().min(1).max(256),
  sequence: Sequence,
  events: z.array(Event),
  finished: z.boolean(),
});
/** The parsed form of `ToolReturn`. */
export type ToolReturn = z.infer<typeof ToolReturn>;
