// Checks of values against the schemas of users, and of those schemas: at once where that is surely short, else by a
// function that may take its time and is bounded. A decision is made again once the answers are there. No thread here.
import { hash } from 'node:crypto';
import { checkSchema } from '../session/check-schema.ts';
import type { CheckSchema } from '../session/decide-tool.ts';
import { type FindSchemaFault, findSchemaFault } from '../session/schema-fault.ts';

/** Whether a value fits a schema, or, without a value, whether the schema can be used. */
export interface SchemaQuestion {
  schema: object;
  value?: unknown;
}

/** Why not, or that it could not be found out in time; undefined when it does. */
export type AskSchema = (question: SchemaQuestion) => Promise<string | undefined>;

/** The answer, however long it takes. */
export function answerSchema(question: SchemaQuestion): string | undefined {
  return 'value' in question ? checkSchema(question.schema, question.value) : findSchemaFault(question.schema);
}

/** Keywords whose work grows with the value and with nothing else, and those that mean no work. */
const SHORT = new Set([
  ...['type', 'properties', 'required', 'items', 'additionalProperties', 'enum', 'const'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['title', 'description', 'default', 'examples', '$schema'],
]);

/** Longer schemas are not short work whatever they hold: to check against, and to look for faults in. */
const SHORT_UNITS = { check: 16_384, fault: 256 } as const;

/** Schemas that are known to have no fault; most sessions of a server have the same ones. */
const KNOWN_SOUND = 10_000;

/** Checks for decisions. */
export class SchemaChecks {
  readonly #ask: AskSchema;
  readonly #isShort = new WeakMap<object, boolean>();
  readonly #sound = new Set<string>();

  constructor(ask: AskSchema) {
    this.#ask = ask;
  }

  /**
   * Makes a decision that checks values or schemas, and does `then` with it in the same step, so that nothing comes
   * between. When a check may take long, it is asked for first and the decision is made anew from the state as it is
   * then.
   */
  async decide<T, R>(
    decide: (check: CheckSchema, findFault: FindSchemaFault) => T,
    then: (decision: T) => R,
  ): Promise<R> {
    const answers: { question: SchemaQuestion; fault: string | undefined }[] = [];
    for (;;) {
      const open: SchemaQuestion[] = [];
      const look = (question: SchemaQuestion) => {
        const known = answers.find((one) => isSame(one.question, question));
        if (!known) open.push(question);
        return known?.fault;
      };
      const decision = decide(
        (schema, value) =>
          this.#isShortCheck(schema) ? checkSchema(schema, value) : look({ schema: schema as object, value }),
        (schema) => (this.#isShortFault(schema) ? findSchemaFault(schema) : look({ schema: schema as object })),
      );
      if (open.length === 0) return then(decision);
      const asked = open.map(async (question) => ({ question, fault: await this.#answer(question) }));
      answers.push(...(await Promise.all(asked)));
    }
  }

  async #answer(question: SchemaQuestion): Promise<string | undefined> {
    if ('value' in question) return this.#ask(question);
    const key = hash('sha256', JSON.stringify(question.schema));
    if (this.#sound.has(key)) return undefined;
    const fault = await this.#ask(question);
    if (this.#sound.size >= KNOWN_SOUND) this.#sound.clear();
    if (fault === undefined) this.#sound.add(key);
    return fault;
  }

  #isShortCheck(schema: unknown): boolean {
    return typeof schema !== 'object' || schema === null || this.#isShortWork(schema);
  }

  #isShortFault(schema: unknown): boolean {
    return typeof schema !== 'object' || schema === null || JSON.stringify(schema).length <= SHORT_UNITS.fault;
  }

  #isShortWork(schema: object): boolean {
    const known = this.#isShort.get(schema);
    if (known !== undefined) return known;
    const isShort = JSON.stringify(schema).length <= SHORT_UNITS.check && hasShortKeywords(schema);
    this.#isShort.set(schema, isShort);
    return isShort;
  }
}

function isSame(left: SchemaQuestion, right: SchemaQuestion): boolean {
  return left.schema === right.schema && left.value === right.value && 'value' in left === 'value' in right;
}

function hasShortKeywords(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  return Object.entries(schema).every(([keyword, value]: [string, unknown]) => {
    if (!SHORT.has(keyword)) return false;
    if (keyword === 'properties') return Object.values(value as object).every(hasShortKeywords);
    if (keyword === 'items' || keyword === 'additionalProperties') return [value].flat().every(hasShortKeywords);
    return true;
  });
}
