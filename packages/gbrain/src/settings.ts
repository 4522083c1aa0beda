// Settings: the kind of file that declares configuration keys, and how a value is found on its planes.
// It reads nothing itself: the planes are handed in.

interface SettingBase {
  /** One sentence for the docs and `config get`. */
  summary: string;
  /** Environment variable that wins over the file. */
  env?: string;
  /** Its value is never printed. */
  secret?: boolean;
  requirement: string;
}

/** One setting: its type, bounds and default. */
export type SettingRow =
  | (SettingBase & { type: 'boolean'; default?: boolean })
  | (SettingBase & { type: 'number'; default?: number; min: number; max: number })
  | (SettingBase & { type: 'string'; default?: string; pattern?: RegExp })
  | (SettingBase & { type: 'enum'; values: readonly string[]; default?: string });

/** Setting rows by key. */
export type SettingTable = Readonly<Record<string, SettingRow>>;

/** Declares settings; the default export of `areas/<area>/<area>.config.ts`. */
export function defineSettings<const T extends Record<string, SettingRow>>(table: T): T {
  return table;
}

/** A typed value of a setting. */
export type SettingValue = string | number | boolean;

/** A value with the plane that gave it; `default` also when there is no default and the value is undefined. */
export interface FoundSetting {
  value: SettingValue | undefined;
  plane: 'env' | 'file' | 'default';
}

/** A value as text, checked: the typed value, or why it is none. */
export function parseSetting(
  row: SettingRow,
  text: string,
): { ok: true; value: SettingValue } | { ok: false; why: string } {
  switch (row.type) {
    case 'boolean':
      if (/^(true|on|yes|1)$/i.test(text)) return { ok: true, value: true };
      if (/^(false|off|no|0)$/i.test(text)) return { ok: true, value: false };
      return { ok: false, why: 'must be true or false' };
    case 'number': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      if (!Number.isFinite(value) || value < row.min || value > row.max) {
        return { ok: false, why: `must be a number from ${row.min} to ${row.max}` };
      }
      return { ok: true, value };
    }
    case 'enum':
      return row.values.includes(text)
        ? { ok: true, value: text }
        : { ok: false, why: `must be one of ${row.values.join(', ')}` };
    case 'string':
      return row.pattern && !row.pattern.test(text)
        ? { ok: false, why: `must match ${row.pattern.source}` }
        : { ok: true, value: text };
  }
}

/** Finds a value: environment, then file, then default. An invalid value on a plane is skipped. */
export function findSetting(
  row: SettingRow,
  key: string,
  planes: {
    env: Readonly<Record<string, string | undefined>>;
    file: ReadonlyMap<string, string>;
  },
): FoundSetting {
  const candidates: [FoundSetting['plane'], string | undefined][] = [
    ['env', row.env ? planes.env[row.env] : undefined],
    ['file', planes.file.get(key)],
  ];
  for (const [plane, text] of candidates) {
    if (text === undefined || (plane === 'env' && text === '')) continue;
    const parsed = parseSetting(row, text);
    if (parsed.ok) return { value: parsed.value, plane };
  }
  return { value: row.default, plane: 'default' };
}
