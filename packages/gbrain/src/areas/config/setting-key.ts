// A setting's key as a person types it: the registered row, or a refusal with the closest key.
import { closest } from '@gbrain/wire/did-you-mean';
import type { Context } from '../../context.ts';
import type { SettingRow } from '../../settings.ts';

/** The row of a key; fails with `invalid_params` and the closest key when there is none. */
export function requireSetting(ctx: Context<string>, key: string): SettingRow {
  const { settings } = ctx.host.registry;
  const row = settings.get(key);
  if (row) return row;
  const keys = [...settings.keys()];
  const near = closest(key, keys);
  return ctx.fail('invalid_params', {
    param: 'key',
    problem: 'choice',
    given: key.slice(0, 60),
    choices: near ? [near] : keys,
    // Looked at first: a setting is not changed under a name that nobody wrote.
    fix: {
      call: { op: 'config_get', input: near ? { key: near } : {} },
      why: near ? `${near} is the key whose name is nearest.` : 'It lists every key with its value.',
    },
  });
}

/** A value as it may be printed. */
export const shownValue = (row: SettingRow, value: unknown): string | null =>
  value === undefined ? null : row.secret ? '(set)' : String(value);
