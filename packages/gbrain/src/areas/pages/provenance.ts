// Where a written text came from, as far as the connection lets the caller say so.
import type { Context } from '../../context.ts';
import type { Provenance } from './page-write.ts';

interface StampedInput {
  content_origin?: 'user_said' | 'tool_output' | 'inferred' | undefined;
  source_kind?: string | undefined;
  source_uri?: string | undefined;
  ingested_via?: string | undefined;
  no_embed?: boolean | undefined;
}

/** Where the text came from: the owner may say so, for everybody else the server does. */
export function provenanceOf(ctx: Context, operation: string, input: StampedInput): Provenance {
  const origin = {
    ...(input.content_origin !== undefined && { contentOrigin: input.content_origin }),
    ...(input.no_embed && { isEmbedHeld: true }),
  };
  if (ctx.caller.transport !== 'cli') {
    return { ...origin, sourceKind: `mcp:${operation}`, ingestedVia: `mcp:${operation}` };
  }
  return {
    ...origin,
    ...(input.source_kind !== undefined && { sourceKind: input.source_kind }),
    ...(input.source_uri !== undefined && { sourceUri: input.source_uri }),
    ingestedVia: input.ingested_via ?? `cli:${operation}`,
  };
}
