// configuration: the home's settings can be read, and each value is one that its setting takes.
import { closest } from '@gbrain/wire/did-you-mean';
import { defineCheck } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { parseSetting } from '../../../settings.ts';

export default defineCheck({
  name: 'configuration',
  category: 'ops',
  summary: 'The configuration file can be read and holds values that its settings take.',
  requirement: 'facts/contract A.3 (config_error); facts/user-faults P55',
  needsBrain: false,
  run: async ({ host }) => {
    const file = await host.fileConfig.read();
    const { settings } = host.registry;
    const bad: { key: string; why: string }[] = [];
    const unknown: string[] = [];
    for (const [key, text] of file) {
      const row = settings.get(key);
      if (!row) {
        unknown.push(key);
        continue;
      }
      const parsed = parseSetting(row, text);
      if (!parsed.ok) bad.push({ key, why: parsed.why });
    }
    const details = { file: host.home.configFile, keys: file.size, ...(unknown.length > 0 && { unknown }) };
    const [first] = bad;
    if (first) {
      return {
        status: 'warn',
        message: bad.map(({ key, why }) => `${key} ${why}, so its default counts`).join('; '),
        details,
        fix: {
          call: { op: 'config_unset', input: { key: first.key } },
          actor: 'user',
          why: 'It takes the value out, which has no effect as it is. The user may want another value instead.',
        },
      };
    }
    const near = unknown.flatMap((key) => closest(key, [...settings.keys()]) ?? []);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
    const left = unknown.length > 0 ? `; ${counted(unknown.length, 'key')} not of this version${hint}` : '';
    return { status: 'ok', message: `${counted(file.size, 'setting')}${left}`, details };
  },
});
