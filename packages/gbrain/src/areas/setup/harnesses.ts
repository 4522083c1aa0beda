// Which agent apps this machine has, and the command that registers gbrain with each. It looks, and changes nothing.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** An agent app of this machine. */
export interface Harness {
  id: string;
  name: string;
  /** The app's own registration command; absent where it is done in the app. */
  argv?: string[];
}

const KNOWN = [
  { id: 'claude-code', name: 'Claude Code', program: 'claude' },
  { id: 'codex', name: 'Codex', program: 'codex' },
] as const;

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

/** Agent apps on a PATH, each with the argv that registers `<launcher> serve --surface <surface>`. */
export function findHarnesses(path: string, launcher: string, surface: string): Harness[] {
  return KNOWN.filter(({ program }) => isOnPath(program, path)).map(({ id, name, program }) => ({
    id,
    name,
    argv: [program, 'mcp', 'add', 'gbrain', '--', launcher, 'serve', '--surface', surface],
  }));
}
