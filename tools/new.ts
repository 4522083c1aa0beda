// npm run new -- op pages/archive: writes the file of one kind with its parts to fill in, and generates.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const snake = (text: string): string => text.replaceAll('-', '_');

const TEXTS: Record<string, (area: string, name: string) => string> = {
  op: (area, name) => `// ${name}: say in one sentence what it gives.
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  name: '${snake(name)}_${area}',
  title: '',
  summary: '',
  requirement: '',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({ id: z.string().describe('') }),
  output: (z) => z.object({ id: z.string() }),
  errors: [],
  cli: { command: '${name}', group: 'Pages', positionals: ['id'], human: ({ id }) => id },
  examples: [],
  run: async (_ctx, { id }) => ({ id }),
});
`,
  errors: (area) => `// Codes that ${area} raises.
import { defineErrors } from '../../failure.ts';

export default defineErrors({});
`,
  notices: (area) => `// Notices that ${area} raises.
import { defineNotices } from '../../notices.ts';

export default defineNotices({});
`,
  config: (area) => `// Settings of ${area}.
import { defineSettings } from '../../settings.ts';

export default defineSettings({});
`,
  job: (_, name) => `// ${name}: say in one sentence what it does in the background.
import { defineJob } from '../../job.ts';

export default defineJob({
  name: '${snake(name)}',
  summary: '',
  requirement: '',
  input: () => ({}),
  run: async () => {},
});
`,
  check: (_, name) => `// ${name}: say in one sentence what it looks at.
import { defineCheck } from '../../check.ts';

export default defineCheck({
  name: '${snake(name)}',
  category: 'brain',
  summary: '',
  requirement: '',
  needsBrain: true,
  run: async () => ({ status: 'ok', message: '' }),
});
`,
  provider: (_, name) => `// ${name}: say in one sentence which models it reaches.
import { defineProvider } from '../../provider.ts';

export default defineProvider({ name: '${name}', summary: '', requirement: '', touchpoints: [] });
`,
};

/** Writes a new file of a kind; throws when the arguments name none or the file is there. */
export function writeNew(kind: string, place: string, base = root): string {
  const [area, name] = place.split('/');
  const text = TEXTS[kind];
  if (!text || !area || !name || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(place)) {
    throw new Error(`usage: npm run new -- <${Object.keys(TEXTS).join('|')}> <area>/<name>`);
  }
  const path = join(base, 'packages/gbrain/src/areas', area, `${name}.${kind}.ts`);
  if (existsSync(path)) throw new Error(`${path} is there already`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text(area, name));
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kind = '', place = ''] = process.argv.slice(2);
  process.stdout.write(`${writeNew(kind, place)}\n`);
  execFileSync(process.execPath, [join(root, 'tools/generate.ts')], { stdio: 'inherit' });
}
