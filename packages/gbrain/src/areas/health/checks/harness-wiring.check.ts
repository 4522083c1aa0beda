// harness_wiring: agent apps are registered with a gbrain that exists; asked for by name, the server is tried.
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type CheckResult, defineCheck } from '../../../check.ts';
import type { FixSpec } from '../../../fix.ts';
import { locateBrain } from '../../../home/locate.ts';
import type { Host } from '../../../host.ts';
import { counted } from '../../../row-text.ts';
import { findHarnesses, type Harness } from '../../setup/harnesses.ts';
import { type HarnessFile, type Registration, readHarnessFiles } from '../harness/registrations.ts';
import { smokeTest } from '../harness/smoke.ts';

/** Start, handshake, list and one read. Source: facts/contract K.2. */
const SMOKE_MS = 15_000;

const canRun = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** True when a registered command can be started: an absolute path that may be run, or a name on the PATH. */
async function isResolved(program: string, path: string): Promise<boolean> {
  if (isAbsolute(program)) return canRun(program);
  const tries = path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => canRun(join(folder, program)));
  return (await Promise.all(tries)).includes(true);
}

function surfaceOf({ argv = [], env }: Registration): string | undefined {
  if (env.GBRAIN_SURFACE) return env.GBRAIN_SURFACE;
  const at = argv.indexOf('--surface');
  if (at !== -1) return argv[at + 1];
  return argv.find((word) => word.startsWith('--surface='))?.slice('--surface='.length);
}

const shown = (one: Registration) => ({
  harness: one.harness,
  file: one.file,
  name: one.name,
  ...(one.argv && { command: one.argv }),
  ...(one.url && { url: one.url }),
  ...(surfaceOf(one) && { surface: surfaceOf(one) }),
  enabled: one.isEnabled,
});

/** Registers gbrain with an app; an entry that names a program which is not there is put right in place. */
function registerFix(apps: readonly Harness[], broken?: Registration): FixSpec | undefined {
  const id = broken?.harness ?? apps[0]?.id;
  if (id === undefined) return undefined;
  const name = apps.find((app) => app.id === id)?.name ?? id;
  return {
    call: { op: 'bootstrap_harness', input: { harness: id } },
    argvTail: ['--yes'],
    actor: 'user',
    consent: ['persistent_install'],
    preview: { op: 'bootstrap_harness', input: { harness: id, dry_run: true } },
    why: broken
      ? `The entry in ${broken.file} names a program that is not there; this puts it right and leaves the rest.`
      : `It registers this gbrain with ${name}, by its absolute path and with the starter surface.`,
    userMessage: broken
      ? `${name} looks for gbrain where it no longer is. May I register it again?`
      : `May I connect ${name} to your gbrain memory? It takes effect at its next start.`,
    verify: { op: 'run_doctor', input: { only: ['harness_wiring'] } },
  };
}

function missing(apps: readonly Harness[]): CheckResult {
  if (apps.length === 0) {
    return {
      status: 'ok',
      message: 'no agent app was found here',
      readiness: { state: 'not_applicable', reason: 'no_harness_detected', tier: 'config' },
    };
  }
  const fix = registerFix(apps);
  return {
    status: 'ok',
    message: `${apps.map(({ name }) => name).join(' and ')} found, not connected to this memory`,
    details: { apps: apps.map(({ id }) => id) },
    readiness: { state: 'missing', reason: 'not_registered', tier: 'config' },
    ...(fix && { fix }),
  };
}

interface Wiring {
  host: Host;
  apps: readonly Harness[];
  files: readonly HarnessFile[];
  usable: readonly Registration[];
  details: Record<string, unknown>;
}

function summary({ usable }: Wiring): string {
  const apps = [...new Set(usable.map(({ harness }) => harness))];
  const loose = usable.filter((one) => surfaceOf(one) !== 'starter' && one.argv).length;
  return `registered with ${apps.join(', ')}${loose > 0 ? `; ${loose} without the starter surface` : ''}`;
}

/** Tries the first registration as its app would start it. */
async function probe(wiring: Wiring, signal: AbortSignal): Promise<CheckResult> {
  const { host, usable, details } = wiring;
  const located = await locateBrain(host);
  const owner = located.kind === 'pglite' ? host.brainOwner(located.dataDir) : undefined;
  if (owner?.isAlive && owner.serve) {
    const message = `${summary(wiring)}; its server runs (PID ${owner.pid})`;
    return { status: 'ok', message, details, readiness: { state: 'ok', reason: 'wired_running', tier: 'probed' } };
  }
  const [first] = usable.filter(({ argv }) => argv !== undefined);
  if (!first) return told(wiring);
  const bound = AbortSignal.any([signal, AbortSignal.timeout(SMOKE_MS)]);
  const smoke = await smokeTest({ argv: first.argv!, env: { ...host.env, ...first.env }, signal: bound });
  const more = { ...details, smoke };
  if (smoke.kind === 'answered') {
    const message = `${summary(wiring)}; it lists ${counted(smoke.tools, 'tool')} and ${smoke.tool} answers`;
    return {
      status: 'ok',
      message,
      details: more,
      readiness: { state: 'ok', reason: 'registration_verified', tier: 'probed' },
    };
  }
  if (smoke.kind === 'status_only') {
    return {
      status: 'warn',
      message: `${summary(wiring)}; its server has no brain open: ${smoke.why}`,
      details: more,
      readiness: { state: 'degraded', reason: 'serve_status_only', tier: 'probed' },
      fix: {
        call: { op: 'run_doctor', input: { only: ['connection', 'pglite_data_dir'] } },
        why: 'It says why the brain does not open, and what clears it.',
      },
    };
  }
  return {
    status: 'fail',
    message: `${summary(wiring)}; ${smoke.stage} failed: ${smoke.why}`,
    details: more,
    readiness: { state: 'degraded', reason: 'registration_unverified', tier: 'probed' },
    fix: {
      argv: [...first.argv!],
      actor: 'user',
      why: 'It starts the server as the app does, so that what it says on stderr can be read. End it with Ctrl-D.',
    },
  };
}

function told(wiring: Wiring): CheckResult {
  const { usable, details } = wiring;
  const isRemote = usable.every(({ argv }) => argv === undefined);
  const reason = isRemote ? 'remote_transport' : 'registration_unverified';
  const message = `${summary(wiring)}; not tried (doctor --only harness_wiring does)`;
  return { status: 'ok', message, details, readiness: { state: 'ok', reason, tier: 'config' } };
}

export default defineCheck({
  name: 'harness_wiring',
  category: 'ops',
  summary: 'Agent apps are registered with a gbrain that exists; asked for by name, its server is started and read.',
  requirement: 'facts/contract K.2 (smoke); AGENT_OPERATOR v1, First run',
  capability: 'harness_wiring',
  needsBrain: false,
  limitMs: SMOKE_MS + 5_000,
  run: async ({ host, mayProbe, signal }) => {
    const path = host.env.PATH ?? '';
    const apps = findHarnesses(path, 'starter');
    const files = await readHarnessFiles(host.env);
    const all = files.flatMap(({ registrations }) => registrations).filter(({ isEnabled }) => isEnabled);
    const unread = files.filter(({ problem }) => problem !== undefined);
    const details = {
      registrations: all.map(shown),
      ...(unread.length > 0 && { unread: unread.map(({ file, problem }) => ({ file, problem })) }),
    };
    if (all.length === 0) return missing(apps);
    const resolved = await Promise.all(all.map(async ({ argv }) => !argv || (await isResolved(argv[0]!, path))));
    const broken = all.find((_, i) => !resolved[i]);
    if (broken) {
      const fix = registerFix(apps, broken);
      return {
        status: 'warn',
        message: `${broken.harness} is registered with ${broken.argv![0]}, which is not there`,
        details,
        readiness: { state: 'degraded', reason: 'binary_unresolved', tier: 'config' },
        ...(fix ? { fix } : { fixUnavailable: `Change the command in ${broken.file} to ${host.launcher}.` }),
      };
    }
    const wiring = { host, apps, files, usable: all, details };
    return mayProbe ? probe(wiring, signal) : told(wiring);
  },
});
