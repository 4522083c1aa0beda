// The process groups that a server started, written down so that its successor can end what a crash left behind.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { killGroup } from './process.ts';

interface Entry {
  pid: number;
  /** Kernel start time in ticks: a pid alone may belong to somebody else by now. */
  start: string;
}

/** The list on disk. It is no part of what is durable; it only spares the machine some leftovers. */
export interface ProcessList {
  add(pid: number): void;
  remove(pid: number): void;
}

/** Ends the groups that an earlier server recorded and that still run; gives their pids. Starts an empty list. */
export function openProcessList(path: string): { list: ProcessList; ended: number[] } {
  const ended: number[] = [];
  for (const { pid, start } of readList(path)) {
    if (readStartTime(pid) !== start) continue;
    killGroup(pid);
    ended.push(pid);
  }
  const entries = new Map<number, Entry>();
  const save = () => {
    try {
      writeFileSync(`${path}.new`, JSON.stringify([...entries.values()]), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch (error) {
      // Without space the list stands as it was; a process that it misses ends with its stdin.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  };
  save();
  const list: ProcessList = {
    add(pid) {
      entries.set(pid, { pid, start: readStartTime(pid) ?? '' });
      save();
    },
    remove(pid) {
      if (entries.delete(pid)) save();
    },
  };
  return { list, ended };
}

function readList(path: string): Entry[] {
  try {
    const parsed = JSON.parse(readFileSync(path, 'utf8')) as Entry[];
    return parsed.filter((entry) => Number.isInteger(entry?.pid) && entry.pid > 1 && entry.start !== '');
  } catch {
    // No list, or half of one: there is nothing that can be ended safely.
    return [];
  }
}

/** Field 22 of `/proc/<pid>/stat`; undefined where there is no such process or no such file system. */
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    // Gone, or not Linux.
    return undefined;
  }
}
