// The licence texts of the packages that a bundle holds: what their licences ask to travel with the copies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the package that an input of a bundle belongs to; undefined for our own files. */
export function packageOf(input: string): string | undefined {
  const at = input.lastIndexOf('node_modules/');
  if (at === -1) return undefined;
  const [scope = '', name = ''] = input.slice(at + 'node_modules/'.length).split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

const folderOf = (root: string, input: string, name: string): string =>
  join(root, input.slice(0, input.lastIndexOf('node_modules/') + 'node_modules/'.length), name);

/** Notices of every package among a bundle's inputs, sorted by name. Throws for a package without any licence. */
export function noticesText(root: string, inputs: readonly string[]): string {
  const folders = new Map<string, string>();
  for (const input of inputs) {
    const name = packageOf(input);
    if (name && !name.startsWith('@gbrain/')) folders.set(name, folderOf(root, input, name));
  }
  const sections = [...folders].sort().map(([name, folder]) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      version: string;
      license?: string;
    };
    const files = existsSync(folder)
      ? readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      : [];
    if (files.length === 0 && !manifest.license) throw new Error(`${name} has no licence`);
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${manifest.version} (${manifest.license ?? 'see below'})`, ...texts].join('\n\n');
  });
  return `${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
