// The repository's rules as one ordinary test: sizes, names, comments at the head, import directions, no cycles.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { functionsOf, importsOf } from './source-text.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function sourceFiles(): string[] {
  const folders = [
    ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`),
    'tools',
    'test',
    'bench',
  ];
  return folders
    .flatMap((folder) => {
      try {
        return readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
      } catch {
        return [];
      }
    })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|tsx)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('/generated/') && !path.includes('/node_modules/') && !path.includes('/dist/'));
}

const files = sourceFiles();
const text = new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const isTable = (path: string) => /\.(errors|notices|config)\.ts$/.test(path);
const offenders = (isBad: (path: string, content: string) => unknown) =>
  files.filter((path) => isBad(path, text.get(path)!)).sort();

/** Which folder of gbrain may import which: from -> what is refused. Source: design/architecture section 3. */
const REFUSED: [from: RegExp, refused: RegExp, why: string][] = [
  [/^packages\/wire\//, /^(?!@gbrain\/wire|packages\/wire\/|node:crypto$|fast-check$|vitest$)/, 'wire imports nothing'],
  [/^packages\/gbrain\//, /^(@gbrain\/brain|packages\/brain|@gbrain\/harness)/, 'gbrain and Brain never meet in code'],
  [/^packages\/brain(-protocol|-client)?\//, /^(gbrain\/|packages\/gbrain)/, 'gbrain and Brain never meet in code'],
  [
    /^packages\/gbrain\/src\/areas\//,
    /^packages\/gbrain\/src\/(transports|owner|bin|home\/local-host)/,
    'areas know no transport',
  ],
  [/^packages\/gbrain\/src\/render\//, /^packages\/gbrain\/src\/(transports|owner|bin|store)/, 'render is pure'],
  [
    /^packages\/gbrain\/src\/pipeline\//,
    /^packages\/gbrain\/src\/(transports|owner|bin)/,
    'the pipeline knows no transport',
  ],
];

/** Only these may import a package. */
const ONLY: [pkg: RegExp, allowed: RegExp][] = [
  [/^(pg|@electric-sql\/)/, /^packages\/(gbrain\/src\/store|testkit)\//],
  [/^@modelcontextprotocol\/server/, /^packages\/gbrain\/src\/transports\/mcp-/],
  [/^(ai$|@ai-sdk\/)/, /^packages\/gbrain\/src\/providers\/sdk\//],
  // Every call of a model provider goes through the one door that reserves and settles it.
  [/^packages\/gbrain\/src\/providers\/sdk\//, /^packages\/gbrain\/src\/providers\/(sdk\/|metered\.ts$)/],
];

/** An import as a path below the root, or a package's name. */
const target = (path: string, specifier: string) =>
  specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;

/** Everything that lies in the source folders of the packages, whatever it is. */
const inSource = readdirSync(join(root, 'packages'))
  .map((name) => join(root, 'packages', name, 'src'))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));

describe('tidy', () => {
  it('has only source among the sources: what a program makes lies elsewhere', () => {
    expect(inSource.filter((path) => !/\.(ts|mjs|sql)$/.test(path))).toEqual([]);
  });

  it('keeps every file within 500 lines', () => {
    expect(offenders((path, content) => !isTable(path) && content.split('\n').length > 500)).toEqual([]);
  });

  it('keeps every line within 120 characters', () => {
    const long = (content: string) => content.split('\n').some((line) => line.length > 120);
    expect(offenders((path, content) => !isTable(path) && long(content))).toEqual([]);
  });

  it('keeps every function within 70 lines and 4 parameters', () => {
    const found = files
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^(bench|test)\//.test(path))
      .flatMap((path) => functionsOf(text.get(path)!).map((one) => ({ path, ...one })))
      .filter(({ lines, parameters }) => lines > 70 || parameters > 4)
      .map(({ path, name, lines, parameters }) => `${path} ${name}: ${lines} lines, ${parameters} parameters`);
    expect(found).toEqual([]);
  });

  it('begins every file with a sentence that says what it is for', () => {
    expect(offenders((_, content) => !/^(#!.*\n)?(\/\/ \S|\/\*\* ?\S)/.test(content))).toEqual([]);
  });

  it('names files in kebab case and uses no bag words', () => {
    const stem = (path: string) => basename(path).replace(/\.(test\.)?(tsx?|mjs)$/, '');
    expect(offenders((path) => !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(stem(path)))).toEqual([]);
    expect(offenders((path) => /(^|\/)(utils?|helpers?|commons?|managers?|misc)(\/|\.|-|$)/.test(path))).toEqual([]);
  });

  it('documents everything that is exported', () => {
    const bare = /(?:^|\n)(?!\s*\*\/)[^\n]*\n(export (?:async )?(?:function|const|class|interface|type) (\w+))/g;
    const hasDoc = (head: string) => /(\*\/|^\s*\/\/.*)\s*\nexport/m.test(head);
    // A type inferred from a schema of the same name is described there.
    const undocumented = (content: string) => {
      const found = [...`\n\n${content}`.matchAll(bare)];
      const described = new Set(found.filter(([head]) => hasDoc(head)).map(([, , name]) => name));
      return found.filter(([head, , name]) => !hasDoc(head) && !described.has(name));
    };
    const found = files
      .filter((path) => path.startsWith('packages/') && !path.endsWith('.test.ts'))
      .flatMap((path) => undocumented(text.get(path)!).map((match) => `${path} ${match[2]}`));
    expect(found).toEqual([]);
  });

  it('keeps the direction of imports', () => {
    const found = files
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => importsOf(text.get(path)!).map((specifier) => ({ path, to: target(path, specifier) })))
      .flatMap(({ path, to }) => [
        ...REFUSED.filter(([from, refused]) => from.test(path) && refused.test(to)).map(
          ([, , why]) => `${path} -> ${to}: ${why}`,
        ),
        ...ONLY.filter(([pkg, allowed]) => pkg.test(to) && !allowed.test(path)).map(
          () => `${path} -> ${to}: not its room`,
        ),
      ]);
    expect(found).toEqual([]);
  });

  it('keeps another area’s SQL out of reach', () => {
    const found = files.flatMap((path) => {
      const area = /^packages\/gbrain\/src\/areas\/([^/]+)\//.exec(path)?.[1];
      return importsOf(text.get(path)!)
        .map((specifier) => target(path, specifier))
        .filter((to) => /\.sql\.ts$/.test(to) && area && !to.includes(`/areas/${area}/`))
        .map((to) => `${path} -> ${to}`);
    });
    expect(found).toEqual([]);
  });

  it('writes SQL only in its places', () => {
    const hasSql = (content: string) => /import \{[^}]*\bsql\b[^}]*\} from '[^']*store\/sql\.ts'/.test(content);
    const isPlace = (path: string) => /\.sql\.ts$|\/store\/|\.test\.ts$|^packages\/testkit\//.test(path);
    expect(offenders((path, content) => hasSql(content) && !isPlace(path))).toEqual([]);
  });

  it('speaks HTTP to the outside only in the room of the providers', () => {
    const calls = (content: string) => /(?<![.\w#])fetch\(|from 'node:https?'/.test(content);
    const isPlace = (path: string) => !/^packages\/gbrain\/src\//.test(path) || /\/providers\/sdk\//.test(path);
    expect(offenders((path, content) => !path.endsWith('.test.ts') && calls(content) && !isPlace(path))).toEqual([]);
  });

  it('reads the environment only in composition roots', () => {
    const isPlace = (path: string) => /\/bin\/|^(tools|test|bench)\/|\.test\.ts$|^packages\/testkit\//.test(path);
    expect(offenders((path, content) => /process\.env\b/.test(content) && !isPlace(path))).toEqual([]);
  });

  it('has no import cycle', () => {
    const edges = new Map(
      files.map((path) => [
        path,
        importsOf(text.get(path)!, { types: false })
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => target(path, specifier)),
      ]),
    );
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (state.get(path) === 'done') return;
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
        return;
      }
      state.set(path, 'open');
      for (const to of edges.get(path) ?? []) visit(to, [...trail, path]);
      state.set(path, 'done');
    };
    for (const path of files) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('names no machine, host of a registry or tool of ours', () => {
    const named = /registry\.npmjs|\/work\/(main|wt|shared)|pypi\.org|crates\.io/;
    expect(offenders((path, content) => path !== 'tools/tidy.test.ts' && named.test(content))).toEqual([]);
  });
});
