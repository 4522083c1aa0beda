// The version of this build: one for all packages.
import manifest from '../package.json' with { type: 'json' };

/** Version of Brain, e.g. `0.1.0`. */
export const VERSION: string = manifest.version;
