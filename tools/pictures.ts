// Draws docs/pictures: what commands print at a terminal, over the example vault. Needs a build and the `script`
// program, whose pseudo-terminal makes the output what a person sees.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { displayWidth } from '../packages/gbrain/src/render/text-width.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const launcher = join(root, 'packages/gbrain/bin/gbrain');
const COLUMNS = 96;
const CELL = { width: 8.4, height: 18 } as const;
const MARGIN = 16;

/** Colours of the eight that gbrain uses, on a dark ground. */
const COLOURS: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '36': '#79c0ff',
};

/** A picture: its file and the command lines in it. */
interface Picture {
  name: string;
  lines: readonly string[];
}

const PICTURES: readonly Picture[] = [
  {
    name: 'search',
    lines: ['search "second warehouse" --limit 3', 'search "who founded kestrel optics" --limit 2'],
  },
  { name: 'explain', lines: ['search "delivry windows" --limit 1 --explain'] },
  { name: 'pages', lines: ['list --type company --limit 6', 'backlinks companies/kestrel-optics --limit 5'] },
  { name: 'graph', lines: ['graph companies/kestrel-optics --depth 1', 'timeline people/joost-peled-1'] },
  { name: 'doctor', lines: ['doctor'] },
  { name: 'status', lines: ['status', 'stats'] },
  { name: 'mistakes', lines: ['serach warehouse', 'list --sort titel', 'get companies/kestrel-optic'] },
  { name: 'help', lines: ['help'] },
];

/** What a command line prints on a terminal of COLUMNS columns, control codes included. */
function printed(line: string, home: string): string {
  const env = { PATH: process.env.PATH ?? '', HOME: home, GBRAIN_HOME: join(home, '.gbrain'), TERM: 'xterm-256color' };
  const command = `stty cols ${COLUMNS}; ${launcher} ${line} || true`;
  const text = execFileSync('script', ['-qec', command, '/dev/null'], { env, encoding: 'utf8', cwd: home });
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
  // A progress line is drawn over by what comes after it.
  return lines.map((one) => one.slice(one.lastIndexOf('\r') + 1).replace(/^\u001b\[K/, '')).join('\n');
}

/** A long line as the terminal breaks it. Lines with styles are short enough by themselves. */
function broken(line: string): string[] {
  const [open = '', text = '', close = ''] =
    /^((?:\u001b\[[0-9;]*m)*)([^\u001b]*)((?:\u001b\[[0-9;]*m)*)$/.exec(line)?.slice(1) ?? [];
  if (text.length <= COLUMNS) return [line];
  return (text.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? []).map((piece) => open + piece + close);
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One line with its styles as positioned spans: each says where it stands, so that wide characters stay in place. */
function spans(line: string): string {
  let column = 0;
  let style = new Set<string>();
  return line
    .split(/(\u001b\[[0-9;]*[A-Za-z])/)
    .map((part) => {
      const code = /^\u001b\[([0-9;]*)m$/.exec(part)?.[1];
      if (code !== undefined) {
        if (code === '' || code === '0') style = new Set();
        else if (code === '22') style = new Set([...style].filter((one) => one !== '1' && one !== '2'));
        else if (code === '39') style = new Set([...style].filter((one) => !(one in COLOURS)));
        else style = new Set([...style, code]);
        return '';
      }
      if (part === '' || part.startsWith('\u001b')) return '';
      const colour = [...style].map((one) => COLOURS[one]).find(Boolean);
      const attributes = [
        `x="${(MARGIN + column * CELL.width).toFixed(1)}"`,
        ...(colour ? [`fill="${colour}"`] : []),
        ...(style.has('1') ? ['font-weight="bold"'] : []),
        ...(style.has('2') ? ['opacity="0.65"'] : []),
      ];
      const width = displayWidth(part);
      column += width;
      return `<tspan ${attributes.join(' ')} textLength="${(width * CELL.width).toFixed(1)}">${escaped(part)}</tspan>`;
    })
    .join('');
}

function svgOf(lines: readonly string[]): string {
  const width = Math.ceil(MARGIN * 2 + COLUMNS * CELL.width);
  const height = MARGIN * 2 + lines.length * CELL.height;
  const text = lines.map(
    (line, i) => `<text y="${MARGIN + (i + 1) * CELL.height - 5}" xml:space="preserve">${spans(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    `  font-family="ui-monospace, SFMono-Regular, Menlo, DejaVu Sans Mono, monospace" font-size="14" fill="#e6edf3">`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...text,
    '</svg>',
    '',
  ].join('\n');
}

const home = mkdtempSync(join(tmpdir(), 'gbrain-pictures-'));
try {
  const env = { PATH: process.env.PATH ?? '', HOME: home, GBRAIN_HOME: join(home, '.gbrain') };
  const run = (...args: string[]) => execFileSync(launcher, args, { env, encoding: 'utf8', stdio: 'pipe' });
  run('init', '--pglite', '--no-embedding', '--json');
  // Some of its files are no markdown on purpose: that is told by an exit status.
  try {
    run('import', join(root, 'examples/vault'));
  } catch {
    // The others are in.
  }
  mkdirSync(join(root, 'docs/pictures'), { recursive: true });
  for (const { name, lines } of PICTURES) {
    const shown = lines.flatMap((line, i) => [
      ...(i > 0 ? [''] : []),
      `\u001b[2m$\u001b[0m \u001b[1mgbrain ${line}\u001b[0m`,
      ...printed(line, home).replaceAll(home, '~').split('\n').flatMap(broken),
    ]);
    writeFileSync(join(root, `docs/pictures/${name}.svg`), svgOf(shown));
    process.stdout.write(`docs/pictures/${name}.svg\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
