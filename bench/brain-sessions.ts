// Sessions at rest: memory of ten thousand open ones, and how long a restart over a million records takes.
// `brain-sessions.ts [sessions] [records]`.
import { createClockless, fillJournal } from './brain-fill.ts';
import { createSession, type Lab, measureSyncMs, openLab, readRssMiB, readTreeMiB, row, say } from './brain-lab.ts';

const sessions = Number(process.argv[2] ?? 10_000);
const records = Number(process.argv[3] ?? 1_000_000);
const lab = await openLab();
try {
  measureSyncMs(lab.dataDir);
  await measureMemory(lab);
} finally {
  await lab.close();
}
await measureRestart();

async function measureMemory(lab: Lab): Promise<void> {
  const before = readRssMiB(lab.server.pid);
  const start = performance.now();
  const ids: string[] = [];
  const make = async () => {
    while (ids.length < sessions) {
      const place = ids.push('') - 1;
      const id = await createSession(lab, 'echo');
      await say(lab, id, 'Hello, this is a message of ordinary length, as people write them.');
      ids[place] = id;
    }
  };
  await Promise.all(Array.from({ length: 64 }, make));
  const tookMs = performance.now() - start;
  const after = readRssMiB(lab.server.pid);
  const each = ((after - before) * 1024) / sessions;
  row(`${sessions} open idle sessions, one turn each: the server`, `${after.toFixed(0)} MiB`, '<= 700 MB');
  row('  each, over the empty server', `${each.toFixed(1)} KiB`, '-');
  row('  server and workers', `${readTreeMiB(lab.server.pid).toFixed(0)} MiB`, '-');
  row('  made in', `${(tookMs / 1000).toFixed(1)} s`, '-');
}

async function measureRestart(): Promise<void> {
  const lab = await openLab();
  try {
    await lab.server.kill('SIGTERM');
    const made = await fillJournal(lab.dataDir, { sessions, records, clock: createClockless() });
    const times: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const start = performance.now();
      await lab.restart();
      times.push(performance.now() - start);
    }
    const shown = times.map((ms) => (ms / 1000).toFixed(2)).join(', ');
    row(`restart with ${sessions} sessions and ${made} records, to ready`, `${shown} s`, '<= 5 s');
    row('  memory of the server then', `${readRssMiB(lab.server.pid).toFixed(0)} MiB`, '-');
  } finally {
    await lab.close();
  }
}
