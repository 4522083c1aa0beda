// Checks values against JSON Schemas (drafts 4, 7, 2019-09, 2020-12). Pure: compiled validators are only remembered.
import { Validator } from '@cfworker/json-schema';
import type { CheckSchema } from './decide-tool.ts';

const DRAFTS = [
  ['draft-04', '4'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
] as const;

const validators = new WeakMap<object, Validator>();

/** Says where and why a value does not fit, or why the schema itself cannot be used; undefined when it fits. */
export const checkSchema: CheckSchema = (schema, value) => {
  if (schema === true || schema === undefined) return undefined;
  if (typeof schema !== 'object' || schema === null) return 'The schema is neither an object nor true.';
  if (Object.keys(schema).length === 0) return undefined;
  try {
    const { valid, errors } = findValidator(schema).validate(value);
    if (valid) return undefined;
    const last = errors.at(-1);
    return `${last?.instanceLocation ?? '#'}: ${last?.error ?? 'does not fit the schema'}`;
  } catch (error) {
    // The library throws for references and patterns that it cannot resolve.
    return `The schema cannot be used: ${(error as Error).message}`;
  }
};

function findValidator(schema: object): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const draft = DRAFTS.find(([name]) => String((schema as { $schema?: unknown }).$schema ?? '').includes(name));
  const made = new Validator(schema as ConstructorParameters<typeof Validator>[0], draft?.[1] ?? '2020-12');
  validators.set(schema, made);
  return made;
}
