// What registering gbrain with the agent apps of this machine would change, file by file, and doing it: each file is
// replaced whole, only while it is still what the plan was made from, and what stood there before is kept for the undo.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { raise } from '../../../failure.ts';
import { readJsonFile, writeJsonFile } from '../../../home/json-file.ts';
import type { Host } from '../../../host.ts';
import { isOurs } from '../../health/harness/registrations.ts';
import { diffText } from '../../pages/diff.ts';
import type { SecretDetector } from '../../secrets/detector.ts';
import { APPS, type App, type AppId, type Entry, isAppHere, userHome } from './apps.ts';
import { EditRefused, editList, editServers, readItem, readServers } from './edit-config.ts';
import { editBlock, INSTRUCTIONS, readBlock } from './instruction-block.ts';
import { isStopHook, savesUnasked, stopHookEntry } from './stop-hook.ts';

/** What is asked for. */
export interface WireAsk {
  app: AppId | 'all';
  surface: string;
  isRemoval: boolean;
}

/** What happens to one app's file. */
export type WireAction = 'add' | 'update' | 'remove' | 'restore' | 'none';

/**
 * What of an app is wired: its entry of a tool server, the command at the end of an answer, the lines in the user's
 * file of instructions.
 */
export type WirePart = 'server' | 'stop_hook' | 'instructions';

/** One file of a plan. */
export interface WireStep {
  app: App;
  file: string;
  /** Its text now; undefined where there is no file. */
  before: string | undefined;
  after: string;
  action: WireAction;
  /** The entry that stands under the name now, to be put back by an undo. */
  replaced: Entry | null;
  name: string;
  part: WirePart;
}

const NAME = 'gbrain';

type WiredKey = AppId | `${AppId}/${Exclude<WirePart, 'server'>}`;

/** What was wired, by app and part: kept in the home so that it can be undone. */
type Wired = Partial<Record<WiredKey, { file: string; name: string; replaced: Entry | null; made_file: boolean }>>;

const keyOf = ({ app, part }: WireStep): WiredKey => (part === 'server' ? app.id : `${app.id}/${part}`);

const stateFile = (host: Host): string => join(host.home.root, 'harness', 'wired.json');

const readWired = async (host: Host): Promise<Wired> => ((await readJsonFile(stateFile(host))) ?? {}) as Wired;

async function isOnPath(program: string, path: string): Promise<boolean> {
  const tries = path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) =>
      access(join(folder, program), constants.X_OK).then(
        () => true,
        () => false,
      ),
    );
  return (await Promise.all(tries)).includes(true);
}

/** The apps that are asked for: the named one, or all that are here. */
async function appsFor(host: Host, wanted: WireAsk['app']): Promise<App[]> {
  if (wanted !== 'all') return APPS.filter(({ id }) => id === wanted);
  const path = host.env.PATH ?? '';
  const onPath = new Map(
    await Promise.all(APPS.map(async ({ program }) => [program, await isOnPath(program, path)] as const)),
  );
  return APPS.filter((app) => isAppHere(app, host.env, (program) => onPath.get(program) ?? false));
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return raise('harness_file_refused', { file, reason: 'not_readable' }, error);
  }
}

/** The command of an entry, in whichever form its app keeps it. */
const argvOf = ({ command, args }: Entry): string[] => [command, args].flat().filter((one) => typeof one === 'string');

/** The entry to write: what stands there keeps the settings that are not ours. */
function entryFor(host: Host, app: App, surface: string, current: Entry | undefined): Entry {
  const argv = [host.launcher, 'serve', '--surface', surface];
  const env: Record<string, string> = host.env.GBRAIN_HOME ? { GBRAIN_HOME: host.home.root } : {};
  const wanted = app.entry({ argv, env });
  const isStdio = current !== undefined && current.url === undefined;
  const envKey = app.id === 'opencode' ? 'environment' : 'env';
  const envs = { ...(isStdio ? (current[envKey] as object) : {}), ...(wanted[envKey] as object) };
  return { ...(isStdio ? current : {}), ...wanted, ...(Object.keys(envs).length > 0 && { [envKey]: envs }) };
}

async function stepFor(host: Host, app: App, ask: WireAsk, wired: Wired): Promise<WireStep> {
  const file = app.file(host.env, userHome(host.env));
  const before = await readText(file);
  try {
    const servers = await readServers(app, before ?? '');
    const found = Object.entries(servers).find(([key, entry]) => isOurs(key, argvOf(entry as Entry)));
    const name = found?.[0] ?? NAME;
    const current = found?.[1] as Entry | undefined;
    const kept = wired[app.id]?.file === file ? wired[app.id] : undefined;
    const wanted = ask.isRemoval ? (kept?.replaced ?? undefined) : entryFor(host, app, ask.surface, current);
    const isSame = ask.isRemoval
      ? current === undefined && !kept?.replaced
      : JSON.stringify(current) === JSON.stringify(wanted);
    const after = isSame ? (before ?? '') : await editServers(app, before ?? '', name, wanted);
    const change: WireAction = ask.isRemoval ? (wanted ? 'restore' : 'remove') : current ? 'update' : 'add';
    const action = isSame ? 'none' : change;
    return { app, file, before, after, action, replaced: current ?? null, name, part: 'server' };
  } catch (error) {
    if (error instanceof EditRefused)
      raise('harness_file_refused', { file, reason: error.reason, app: app.name }, error);
    throw error;
  }
}

/** A part of an app that is written only while the user wants facts saved unasked. */
interface OptionalPart {
  part: WireStep['part'];
  file: string;
  wanted: unknown;
  /** What stands there; undefined where it does not. Throws `EditRefused`. */
  read(text: string): Promise<unknown>;
  /** The text with it, or without it. Throws `EditRefused`. */
  edit(text: string, isRemoval: boolean): Promise<string>;
}

function optionalParts(host: Host, app: App): OptionalPart[] {
  const home = userHome(host.env);
  const { stopHook, instructions } = app;
  const item = stopHookEntry(host);
  const hook: OptionalPart[] = stopHook
    ? [
        {
          part: 'stop_hook',
          file: stopHook.file(host.env, home),
          wanted: item,
          read: (text) => readItem(text, stopHook.path, isStopHook),
          edit: (text, isRemoval) =>
            editList(text, stopHook.path, { isOurs: isStopHook, item: isRemoval ? undefined : item }),
        },
      ]
    : [];
  if (!instructions) return hook;
  const block: OptionalPart = {
    part: 'instructions',
    file: instructions(host.env, home),
    wanted: INSTRUCTIONS,
    read: async (text) => readBlock(text),
    edit: async (text, isRemoval) => editBlock(text, isRemoval ? undefined : INSTRUCTIONS),
  };
  return [...hook, block];
}

/** The step of an optional part; undefined where it is neither there nor wanted. */
async function optionalStep(
  host: Host,
  app: App,
  ask: WireAsk,
  { part, file, wanted, read, edit }: OptionalPart,
): Promise<WireStep | undefined> {
  const before = await readText(file);
  const text = before ?? '';
  try {
    const current = await read(text);
    if (current === undefined && (ask.isRemoval || !(await savesUnasked(host)))) return undefined;
    const isSame = !ask.isRemoval && JSON.stringify(current) === JSON.stringify(wanted);
    const after = isSame ? text : await edit(text, ask.isRemoval);
    const change: WireAction = ask.isRemoval ? 'remove' : current === undefined ? 'add' : 'update';
    return { app, file, before, after, action: isSame ? 'none' : change, replaced: null, name: NAME, part };
  } catch (error) {
    if (error instanceof EditRefused)
      raise('harness_file_refused', { file, reason: error.reason, app: app.name }, error);
    throw error;
  }
}

/** What would change. Raises `harness_file_refused` for a file that cannot be read or changed safely. */
export async function planWiring(host: Host, ask: WireAsk): Promise<WireStep[]> {
  const wired = await readWired(host);
  const steps: WireStep[] = [];
  for (const app of await appsFor(host, ask.app)) {
    steps.push(await stepFor(host, app, ask, wired));
    for (const part of optionalParts(host, app)) {
      const step = await optionalStep(host, app, ask, part);
      if (step) steps.push(step);
    }
  }
  return steps;
}

/** The change of a step as a person reads it. The lines around it may hold other servers' credentials. */
export function stepDiff({ before, after }: WireStep, secrets: SecretDetector): { diff: string; truncated: boolean } {
  const { diff, truncated } = diffText(before ?? '', after);
  return { diff: secrets.redact(diff).text, truncated };
}

/** Replaces a file whole, with the rights that it had; a link stays a link. */
async function replaceFile(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(target), { recursive: true });
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const reason = (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'disk_full' : 'read_only';
    raise('storage_error', { operation: `writing ${file}`, reason }, error);
  }
}

/** A file that the wiring made and that holds nothing else goes again. */
async function isEmptied({ app, after, part }: WireStep): Promise<boolean> {
  if (part !== 'server') return after.replace(/[\s{}]/g, '') === '';
  const left = after.replace(/[\s{}":,]|mcpServers|mcp/g, '');
  return left === '' && Object.keys(await readServers(app, after)).length === 0;
}

/** Does one step. Raises `harness_file_refused` when the file changed since the plan was made. */
export async function applyStep(host: Host, step: WireStep, isRemoval: boolean): Promise<void> {
  const { app, file, before, after, action, replaced, name } = step;
  if (action === 'none') return;
  if ((await readText(file)) !== before) raise('harness_file_refused', { file, reason: 'changed', app: app.name });
  const wired = await readWired(host);
  const key = keyOf(step);
  const kept = wired[key];
  if (isRemoval) {
    if (kept?.made_file && (await isEmptied(step))) await rm(file, { force: true });
    else await replaceFile(file, after);
    delete wired[key];
  } else {
    // A second wiring keeps what the first one replaced.
    const first = kept?.file === file ? kept : { file, name, replaced, made_file: before === undefined };
    await writeJsonFile(stateFile(host), { ...wired, [key]: first });
    await replaceFile(file, after);
    return;
  }
  await writeJsonFile(stateFile(host), wired);
}
