// Turns: syncs of one, its own time beside the disk's, and how many durable turns a second two hundred sessions make.
// `brain-turns.ts [seconds]`. Every figure stands beside the disk's median sync of the same run.
import {
  createSession,
  type Lab,
  measureSyncMs,
  openLab,
  percentile,
  readCommits,
  readCpuMs,
  row,
  say,
} from './brain-lab.ts';

const seconds = Number(process.argv[2] ?? 10);
const lab = await openLab();
try {
  const syncMs = measureSyncMs(lab.dataDir);
  const syncs = await countSyncs(lab);
  row('serial syncs of a turn with a model call and a tool call', String(syncs), '<= 8');
  await measureOwnTime(lab, syncs, syncMs);
  await measureThroughput(lab, 'plain', 200);
  await measureThroughput(lab, 'loop', 200);
  measureSyncMs(lab.dataDir);
} finally {
  await lab.close();
}

/** Alone on the server, so that no commit is shared. */
async function countSyncs(lab: Lab): Promise<number> {
  const id = await createSession(lab, 'loop', true);
  await say(lab, id, 'tool');
  const before = readCommits(lab.dataDir);
  for (let turn = 0; turn < 5; turn += 1) await say(lab, id, 'tool');
  return (readCommits(lab.dataDir) - before) / 5;
}

/** An open loop: a turn is begun every 20 ms, whatever became of those before it. */
async function measureOwnTime(lab: Lab, syncs: number, syncMs: number): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: 300 }, () => createSession(lab, 'loop', true)));
  await Promise.all(sessions.map((id) => say(lab, id, 'tool')));
  const before = readCommits(lab.dataDir);
  const times: number[] = [];
  const turns: Promise<void>[] = [];
  const start = performance.now();
  for (let count = 0; count < 50 * seconds; count += 1) {
    const dueMs = start + count * 20;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    const begun = performance.now();
    const id = sessions[count % sessions.length] as string;
    turns.push(say(lab, id, 'tool').then(() => void times.push(performance.now() - begun)));
  }
  await Promise.all(turns);
  const shared = (readCommits(lab.dataDir) - before) / times.length;
  const own = (share: number) => percentile(times, share) - syncs * syncMs;
  const shown = (share: number) => percentile(times, share).toFixed(1);
  row('the same turn at 50 turns/s, latency p50 / p99', `${shown(0.5)} / ${shown(0.99)} ms`, '-');
  row(
    '  own time (latency less syncs times the median sync)',
    `${own(0.5).toFixed(1)} / ${own(0.99).toFixed(1)} ms`,
    '<= 8 / 40 ms',
  );
  row('  commits of the journal a turn', shared.toFixed(2), '-');
}

/** A closed loop: each session sends its next message when the last has been answered. */
async function measureThroughput(lab: Lab, loop: 'plain' | 'loop', count: number): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: count }, () => createSession(lab, loop)));
  await Promise.all(sessions.map((id) => say(lab, id, 'warm')));
  const before = readCommits(lab.dataDir);
  const cpu = readCpuMs(lab.server.pid);
  const times: number[] = [];
  const start = performance.now();
  const until = start + seconds * 1000;
  const drive = async (id: string) => {
    while (performance.now() < until) {
      const begun = performance.now();
      await say(lab, id, 'Go');
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(sessions.map(drive));
  const spent = readCpuMs(lab.server.pid);
  const rate = (times.length * 1000) / (performance.now() - start);
  const commits = (readCommits(lab.dataDir) - before) / times.length;
  const what = loop === 'plain' ? 'one model call and one output' : 'the default loop, its transcript growing';
  row(`durable turns/s, ${count} sessions, ${what}`, `${rate.toFixed(0)} turns/s`, loop === 'plain' ? '>= 1,000' : '-');
  row('  latency p50 / p99', `${percentile(times, 0.5).toFixed(0)} / ${percentile(times, 0.99).toFixed(0)} ms`, '-');
  row('  commits of the journal a turn', commits.toFixed(3), '-');
  const perTurn = (from: number, to: number) => ((to - from) / times.length).toFixed(2);
  const server = perTurn(cpu.own, spent.own);
  row('  processor time a turn, server / harness', `${server} / ${perTurn(cpu.children, spent.children)} ms`, '-');
}
