// Where the files that ship beside the code are, from source and in the built product.
// It must not open them.
import { fileURLToPath } from 'node:url';

const here = import.meta.url;
const fromSource = here.endsWith('.ts');
/** The built product's folder: the bundle lies in it, its lazy chunks one folder below. */
const dist = fromSource ? new URL('../../dist/', here) : new URL(/\/chunks\/[^/]+$/.test(here) ? '../' : './', here);

/** Entry of the embedded engine's thread: TypeScript from source, a file of its own beside the bundle. */
export const engineEntry = fromSource ? new URL('./pglite-worker.ts', here) : new URL('pglite-worker.js', dist);

/** Folder of the prepared empty database. */
export const templateDir = fileURLToPath(new URL('template/', dist));
