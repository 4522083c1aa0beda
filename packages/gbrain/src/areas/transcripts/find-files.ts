// Where transcripts lie: the folders in which each app keeps its sessions, and the files below a folder. It opens none.
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { TranscriptFormat } from './conversation.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A place where an app keeps its sessions. */
export interface TranscriptRoot {
  format: TranscriptFormat;
  path: string;
}

/** The places of the apps whose sessions are read, whether they exist or not. Exports have no place of their own. */
export function transcriptRoots(env: Env, home = env.HOME || homedir()): TranscriptRoot[] {
  const data = env.XDG_DATA_HOME || join(home, '.local', 'share');
  return [
    { format: 'claude-code', path: join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects') },
    { format: 'codex', path: join(env.CODEX_HOME || join(home, '.codex'), 'sessions') },
    { format: 'opencode', path: join(data, 'opencode', 'opencode.db') },
    { format: 'opencode', path: join(data, 'opencode', 'storage') },
    { format: 'pi', path: join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions') },
  ];
}

const NAMES = /\.(?:jsonl|json|db|zip)$/i;

/** Files of an export that hold no conversation, and the parts of sessions that are read with their session. */
const BESIDE = /^(?:message|part|session_diff|todo|project|node_modules)$/;
const OTHERS =
  /^(?:user|users|projects|shared_conversations|message_feedback|memories|package(?:-lock)?|settings)\.json$/i;

/**
 * The files at or below a path that may hold transcripts, in the order of their text; links are not followed. A file
 * that is named itself is always given. Rejects with the system's error when the path is not there.
 */
export async function transcriptFiles(path: string, signal: AbortSignal): Promise<string[]> {
  const found = await lstat(path);
  if (!found.isDirectory()) return [path];
  const files: string[] = [];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    const top = folder === path;
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (top) throw error;
      return [];
    });
    for (const entry of entries) {
      if (entry.isDirectory() && !BESIDE.test(entry.name)) folders.push(join(folder, entry.name));
      else if (entry.isFile() && NAMES.test(entry.name) && !OTHERS.test(entry.name))
        files.push(join(folder, entry.name));
    }
  }
  return files.sort();
}
