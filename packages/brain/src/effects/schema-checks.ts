// Checks of values against the schemas of users: at once where that is surely short, else by a function that may take
// its time and is bounded. A decision is made again once the answers are there. It starts no thread itself.
import { checkSchema } from '../session/check-schema.ts';
import type { CheckSchema } from '../session/decide-tool.ts';

/** Says why a value does not fit a schema, or that it could not be found out in time; undefined when it fits. */
export type AskCheck = (schema: object, value: unknown) => Promise<string | undefined>;

/** Keywords whose work grows with the value and with nothing else, and those that mean no work. */
const SHORT = new Set([
  ...['type', 'properties', 'required', 'items', 'additionalProperties', 'enum', 'const'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['title', 'description', 'default', 'examples', '$schema'],
]);

/** A longer schema is not short work whatever it holds. */
const SHORT_UNITS = 16_384;

/** Checks for decisions. */
export class SchemaChecks {
  readonly #ask: AskCheck;
  readonly #isShort = new WeakMap<object, boolean>();

  constructor(ask: AskCheck) {
    this.#ask = ask;
  }

  /**
   * Makes a decision that checks values, and does `then` with it in the same step, so that nothing comes between. When
   * a check may take long, it is asked for first and the decision is made anew from what is then the case.
   */
  async decide<T, R>(decide: (check: CheckSchema) => T, then: (decision: T) => R): Promise<R> {
    const answers: { schema: unknown; value: unknown; fault: string | undefined }[] = [];
    for (;;) {
      const open: { schema: object; value: unknown }[] = [];
      const decision = decide((schema, value) => {
        if (typeof schema !== 'object' || schema === null || this.#isShortWork(schema))
          return checkSchema(schema, value);
        const known = answers.find((one) => one.schema === schema && one.value === value);
        if (!known) open.push({ schema, value });
        return known?.fault;
      });
      if (open.length === 0) return then(decision);
      const asked = open.map(async (one) => ({ ...one, fault: await this.#ask(one.schema, one.value) }));
      answers.push(...(await Promise.all(asked)));
    }
  }

  #isShortWork(schema: object): boolean {
    const known = this.#isShort.get(schema);
    if (known !== undefined) return known;
    const isShort = JSON.stringify(schema).length <= SHORT_UNITS && hasShortKeywords(schema);
    this.#isShort.set(schema, isShort);
    return isShort;
  }
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
