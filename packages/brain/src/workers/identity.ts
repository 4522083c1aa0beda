// Who a harness is, bound to the data folder at its first start: `agentloops/<registration>/harness.json`.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HARNESS_PROTOCOL, type InitializeResult } from '@gbrain/brain-protocol/harness';

interface Bound {
  protocol: string;
  harness: { name: string; version: string };
  state_version: number;
}

/** Where identities are kept. A port, so that a simulator needs no disk. */
export interface IdentityStore {
  /** Binds the first identity and accepts the same one again; gives why another is refused. */
  bind(registration: string, result: InitializeResult): string | undefined;
}

/** The identities in a data folder. Another name or state version is refused; another version is noted. */
export function createIdentityStore(folder: string): IdentityStore {
  return {
    bind(registration, { harness, state_version }) {
      const home = join(folder, registration);
      const path = join(home, 'harness.json');
      const bound = readBound(path);
      if (bound && (bound.harness.name !== harness.name || bound.state_version !== state_version)) {
        const was = `${bound.harness.name} with state version ${bound.state_version}`;
        return `the data folder belongs to ${was}, and this is ${harness.name} with state version ${state_version}`;
      }
      if (bound?.harness.version === harness.version) return undefined;
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ protocol: HARNESS_PROTOCOL, harness, state_version } satisfies Bound, null, 2);
      writeFileSync(`${path}.new`, `${text}\n`, { flush: true });
      renameSync(`${path}.new`, path);
      return undefined;
    },
  };
}

function readBound(path: string): Bound | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Bound;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
