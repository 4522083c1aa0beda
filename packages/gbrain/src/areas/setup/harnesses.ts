// Which agent apps this machine has, and the command that registers gbrain with each. It looks, and changes nothing.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { APPS } from './wire/apps.ts';

/** An agent app of this machine. */
export interface Harness {
  id: string;
  name: string;
  /** Registers gbrain with it. */
  argv: string[];
}

function isOnPath(program: string, path: string): boolean {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .some((folder) => {
      try {
        accessSync(join(folder, program), constants.X_OK);
        return true;
      } catch {
        // Not there, or not runnable: the app is not on this PATH entry.
        return false;
      }
    });
}

/** Agent apps on a PATH, each with the argv that registers this gbrain with it. */
export function findHarnesses(path: string, surface: string): Harness[] {
  const more = surface === 'starter' ? [] : ['--surface', surface];
  return APPS.filter(({ program }) => isOnPath(program, path)).map(({ id, name }) => ({
    id,
    name,
    argv: ['gbrain', 'bootstrap', 'harness', '--harness', id, ...more, '--yes'],
  }));
}
