// Where the file of a thread is: in the sources, or at the root of a bundle. It starts none.

/**
 * The entry `<folder>/<name>` of the server. In a bundle its file is `<name>.js` at the root; `here` is the address of
 * the calling module, which stands there or in `chunks`.
 */
export function threadEntry(here: string, entry: string): URL {
  if (here.endsWith('.ts')) return new URL(`../${entry}.ts`, here);
  const name = entry.slice(entry.lastIndexOf('/') + 1);
  return new URL(here.includes('/chunks/') ? `../${name}.js` : `./${name}.js`, here);
}
