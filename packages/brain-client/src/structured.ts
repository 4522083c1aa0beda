// Answers of a wanted type: asks for JSON, checks it, and lets the model correct itself. Knows no connection.
import type { UserInput } from '@gbrain/brain-protocol/session';
import { z } from 'zod';
import { StructuredOutputError } from './errors.ts';
import type { TurnOutcome } from './turn.ts';

/** The wanted type, and how many corrections are asked for. */
export interface OutputOptions<T> {
  type: z.ZodType<T>;
  /** Corrective turns after the first answer. Default 2. */
  maxRetries?: number;
}

/** A turn whose answer fits. */
export interface StructuredOutcome<T> extends TurnOutcome {
  readonly output: T;
  /** Turns that it took. */
  readonly attempts: number;
}

/**
 * Sends with the schema beside the words, until an answer fits. Throws a StructuredOutputError when none does. A turn
 * that fails, or that ends without an answer, is not corrected: `outcome` of the error says no more than its issues.
 */
export async function sendStructured<T>(
  input: UserInput,
  { type, maxRetries = 2 }: OutputOptions<T>,
  send: (input: UserInput) => Promise<TurnOutcome>,
): Promise<StructuredOutcome<T>> {
  let next = withSchema(input, type);
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await send(next);
    if (outcome.status !== 'ended' || !outcome.answer) {
      const why = outcome.failure ? `${outcome.failure.code}: ${outcome.failure.message}` : 'the turn gave no answer';
      throw new StructuredOutputError(attempts, outcome.text, [why]);
    }
    const read = readAnswer(outcome.text, type);
    if ('output' in read) return { ...outcome, output: read.output, attempts };
    if (attempts > maxRetries) throw new StructuredOutputError(attempts, outcome.text, read.issues);
    next = { message: toCorrection(read.issues) };
  }
}

function withSchema(input: UserInput, type: z.ZodType): UserInput {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' });
  const text = `Answer with JSON alone that fits this JSON Schema:\n${JSON.stringify(schema)}`;
  const { message } = input;
  const blocks = typeof message === 'string' ? [{ type: 'text' as const, text: message }] : message;
  return { ...input, message: [...blocks, { type: 'text', text }] };
}

function toCorrection(issues: readonly string[]): string {
  return `The answer does not fit the schema. Answer with corrected JSON alone.\n${issues.join('\n')}`;
}

function readAnswer<T>(text: string, type: z.ZodType<T>): { output: T } | { issues: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(unfence(text));
  } catch (error) {
    return { issues: [`It is not JSON: ${(error as Error).message}.`] };
  }
  const parsed = type.safeParse(value);
  if (parsed.success) return { output: parsed.data };
  return { issues: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'root'}: ${message}`) };
}

/** Models like to wrap JSON in a fence of Markdown. */
function unfence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}
