// Checks of rows that come from an export's files. Pure; a row of another shape is none.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** What a field may be. */
export type FieldKind = 'text' | 'slug' | 'uuid' | 'instant' | 'boolean' | 'number' | 'object' | 'hash';

const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0') && value.isWellFormed();

const CHECKS: Record<FieldKind, (value: unknown) => boolean> = {
  text: isText,
  slug: (value) => isText(value) && value !== '' && Buffer.byteLength(value) <= 1024,
  uuid: (value) => isText(value) && UUID.test(value),
  instant: (value) => isText(value) && INSTANT.test(value) && !Number.isNaN(Date.parse(value)),
  boolean: (value) => typeof value === 'boolean',
  number: Number.isSafeInteger,
  object: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && isText(JSON.stringify(value)),
  hash: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
};

/** Fields of a row; one that may be null says so by its question mark. */
export type RowShape = Readonly<Record<string, FieldKind | `${FieldKind}?`>>;

/** The fields of a row that has all of them as they must be; undefined otherwise. Other fields are left out. */
export function parseRow<Row>(value: unknown, shape: RowShape): Row | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Record<string, unknown>;
  const row: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries(shape)) {
    const isNullable = kind.endsWith('?');
    const found = given[field] ?? null;
    const isGood = found === null ? isNullable : CHECKS[kind.replace('?', '') as FieldKind](found);
    if (!isGood) return undefined;
    row[field] = found;
  }
  return row as Row;
}
