// Readers and growth: a thousand event streams over one session, and what a turn adds to the journal as a session gets
// long. `brain-streams.ts [readers] [turns]`.
import { statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { createSession, type Lab, openLab, percentile, readRssMiB, row, say } from './brain-lab.ts';

const readers = Number(process.argv[2] ?? 1000);
const turns = Number(process.argv[3] ?? 20);
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const lab = await openLab();
try {
  await measureFanOut(lab);
  await measureGrowth(lab);
} finally {
  await lab.close();
}

interface Reader {
  /** Sequences in the order of their arrival. */
  seen: number[];
  /** When the last `turn_ended` came. */
  endedAtMs: number;
  close(): void;
}

/** Reads frames by their `id:` lines alone: parsing them would cost the bench more than the server. */
function openReader(id: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const path = `/v1/sessions/${id}/events`;
    const headers = { accept: 'text/event-stream' };
    get({ host: '127.0.0.1', port: lab.server.port, path, headers, agent }, (answer) => {
      const reader: Reader = { seen: [], endedAtMs: 0, close: () => answer.destroy() };
      answer.setEncoding('utf8');
      let rest = '';
      answer.on('data', (chunk: string) => {
        rest += chunk;
        const end = rest.lastIndexOf('\n') + 1;
        for (const [, sequence] of rest.slice(0, end).matchAll(/^id: (\d+)$/gm)) reader.seen.push(Number(sequence));
        if (rest.includes('event: turn_ended\n')) reader.endedAtMs = performance.now();
        rest = rest.slice(end);
      });
      resolve(reader);
    }).on('error', reject);
  });
}

async function measureFanOut(lab: Lab): Promise<void> {
  const id = await createSession(lab, 'loop');
  await say(lab, id, 'warm');
  const before = readRssMiB(lab.server.pid);
  const all = await Promise.all(Array.from({ length: readers }, () => openReader(id)));
  const lags: number[] = [];
  const times: number[] = [];
  const start = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    const begun = performance.now();
    for (const reader of all) reader.endedAtMs = 0;
    await say(lab, id, 'Go');
    const answered = performance.now();
    times.push(answered - begun);
    while (all.some(({ endedAtMs }) => endedAtMs === 0)) await new Promise((resolve) => setTimeout(resolve, 1));
    lags.push(Math.max(...all.map(({ endedAtMs }) => endedAtMs)) - answered);
  }
  const tookMs = performance.now() - start;
  const longest = Math.max(...all.map(({ seen }) => seen.length));
  const whole = all.filter(({ seen }) => seen.length === longest && seen.every((one, index) => one === index + 1));
  const sent = all.reduce((sum, { seen }) => sum + seen.length, 0);
  for (const reader of all) reader.close();
  row(`${readers} readers of one session, every record once and in order`, `${whole.length} of ${readers}`, 'all');
  row('  records delivered', `${((sent * 1000) / tookMs).toFixed(0)} a second`, '-');
  row('  the last reader behind the answer, p50 / worst', `${show(lags, 0.5)} / ${show(lags, 1)} ms`, '-');
  row('  a turn meanwhile, p50', `${show(times, 0.5)} ms`, '-');
  row('  memory of the server for them', `${(readRssMiB(lab.server.pid) - before).toFixed(0)} MiB`, '-');
}

/** Whole numbers of a share of the times. */
function show(times: readonly number[], share: number): string {
  return percentile(times, share).toFixed(0);
}

/** The growth of the newest turns beside that of the first: the same when only what is new is stored. */
async function measureGrowth(lab: Lab): Promise<void> {
  const id = await createSession(lab, 'loop');
  const grow = async (count: number) => {
    const before = readJournalBytes(lab);
    for (let turn = 0; turn < count; turn += 1) await say(lab, id, 'A message of ordinary length, as people write it.');
    await lab.restart();
    return (readJournalBytes(lab) - before) / count / 1024;
  };
  await lab.restart();
  const first = await grow(100);
  await grow(200);
  const last = await grow(100);
  row('journal growth, each of turns 1 to 100', `${first.toFixed(1)} KiB`, '-');
  row('  each of turns 301 to 400', `${last.toFixed(1)} KiB`, 'the same');
}

/** After a restart, when the log has been folded in. */
function readJournalBytes(lab: Lab): number {
  return statSync(join(lab.dataDir, 'journal.db')).size;
}
