// Everything that registers by its file's suffix, with the look-ups that the pipeline, help and docs need.
// Built from generated indexes; it holds no state of a run.
import type { ErrorRow, ErrorTable } from './failure.ts';
import type { NoticeRow, NoticeTable } from './notices.ts';
import type { Operation } from './operation.ts';
import type { SettingRow, SettingTable } from './settings.ts';

/** A registered thing with the area (folder) it stands in. */
export interface Registered<T> {
  area: string;
  file: string;
  value: T;
}

/** The generated indexes, one a kind of file. */
export interface Indexes {
  operations: readonly Registered<Operation>[];
  errors: readonly Registered<ErrorTable>[];
  notices: readonly Registered<NoticeTable>[];
  settings: readonly Registered<SettingTable>[];
}

/** Everything that is registered, with its look-ups. */
export interface Registry {
  readonly operations: readonly Operation[];
  operation(name: string): Operation | undefined;
  areaOf(name: string): string;
  /** The operation whose command is the longest prefix of these words, with the words that are left. */
  command(words: readonly string[]): { operation: Operation; rest: readonly string[] } | undefined;
  readonly errors: ReadonlyMap<string, ErrorRow>;
  readonly notices: ReadonlyMap<string, NoticeRow>;
  readonly settings: ReadonlyMap<string, SettingRow>;
}

function mergeTables<Row>(
  kind: string,
  tables: readonly Registered<Readonly<Record<string, Row>>>[],
): Map<string, Row> {
  const merged = new Map<string, Row>();
  for (const { area, file, value } of tables) {
    for (const [key, row] of Object.entries(value)) {
      if (merged.has(key)) throw new Error(`${kind} ${key} is declared twice; the second time in ${area}/${file}`);
      merged.set(key, row);
    }
  }
  return merged;
}

/** The operation that a flag of a command stands for (`doctor --remediate`), wherever the flag stands. */
function asMode(byCommand: ReadonlyMap<string, Operation>, named: string, rest: readonly string[]) {
  const end = rest.indexOf('--');
  const at = rest.findIndex((word, i) => (end === -1 || i < end) && byCommand.has(`${named} ${word}`));
  if (at === -1 || !rest[at]!.startsWith('--')) return undefined;
  return { operation: byCommand.get(`${named} ${rest[at]}`)!, rest: rest.toSpliced(at, 1) };
}

/** Builds the registry; throws when two files declare the same name, command, code or key. */
export function buildRegistry(indexes: Indexes): Registry {
  const byName = new Map<string, Operation>();
  const areas = new Map<string, string>();
  const byCommand = new Map<string, Operation>();
  for (const { area, value: operation } of indexes.operations) {
    if (byName.has(operation.name)) throw new Error(`operation ${operation.name} is declared twice`);
    byName.set(operation.name, operation);
    areas.set(operation.name, area);
    for (const command of [operation.cli.command, ...(operation.cli.aliases ?? [])]) {
      if (byCommand.has(command)) throw new Error(`command ${command} is declared twice`);
      byCommand.set(command, operation);
    }
  }
  const command = (words: readonly string[]) => {
    for (let length = Math.min(words.length, 3); length > 0; length--) {
      const named = words.slice(0, length).join(' ');
      const operation = byCommand.get(named);
      if (operation) return asMode(byCommand, named, words.slice(length)) ?? { operation, rest: words.slice(length) };
    }
    return undefined;
  };
  return {
    operations: indexes.operations.map(({ value }) => value),
    operation: (name) => byName.get(name),
    areaOf: (name) => areas.get(name) ?? '',
    command,
    errors: mergeTables('error code', indexes.errors),
    notices: mergeTables('notice code', indexes.notices),
    settings: mergeTables('setting', indexes.settings),
  };
}
