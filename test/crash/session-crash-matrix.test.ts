// The crash matrix: every named point, times what is killed, times four harnesses, on the real server. With
// BRAIN_CRASH=full every kind of record and effect is hit at each; otherwise they take turns.
import { FAULT_POINTS, type FaultPoint } from '@gbrain/brain/fault';
import { type BrainBuild, buildBrain } from '@gbrain/testkit/brain-build';
import { type CrashCase, type CrashWorld, crashScript, runCrash } from '@gbrain/testkit/brain-crash';
import { startScriptedModel } from '@gbrain/testkit/scripted-model';
import { startToolService } from '@gbrain/testkit/tool-service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let build: BrainBuild;
let world: CrashWorld;

beforeAll(async () => {
  build = await buildBrain();
  const onExecute: CrashWorld['onExecute'] = new Map();
  const tools = await startToolService(async ({ sequence, session_id, request }) => {
    if (request.type === 'execute') await onExecute.get(session_id)?.();
    return { type: 'result', output: { sequence } };
  });
  world = { build, model: await startScriptedModel(crashScript), tools, onExecute };
});

afterAll(async () => {
  await world.model.close();
  await world.tools.close();
  build.remove();
});

const KILLS: CrashCase['kill'][] = ['server', 'worker', 'both'];

/** Kinds of records in the turn of each harness: a commit that holds one is hit. */
const RECORDS: Record<CrashCase['harness'], string[]> = {
  echo: ['activation_started', 'turn_ended'],
  loop: [
    'model_call_started',
    'tool_call_started',
    'turn_ended',
    'activation_started',
    'model_call_ended',
    'tool_call_ended',
    'turn_started',
  ],
  'ignore-cancel': ['turn_cancel_requested', 'turn_failed', 'tool_call_started', 'model_call_ended'],
  'swallow-fatal': ['tool_call_ended', 'turn_failed', 'model_call_started'],
};

/** Kinds of effects. */
const EFFECTS: Record<CrashCase['harness'], string[]> = {
  echo: ['run'],
  loop: ['model', 'tool', 'run'],
  'ignore-cancel': ['tool', 'run', 'model'],
  'swallow-fatal': ['run', 'model', 'tool'],
};

function toCases(): CrashCase[] {
  const cases: CrashCase[] = [];
  const isFull = process.env.BRAIN_CRASH === 'full';
  for (const [harness, records] of Object.entries(RECORDS) as [CrashCase['harness'], string[]][]) {
    let turn = 0;
    for (const point of FAULT_POINTS) {
      const kinds = isEffectPoint(point) ? EFFECTS[harness] : records;
      for (const kill of KILLS) {
        for (const at of isFull ? kinds : [kinds[turn % kinds.length] ?? '']) {
          cases.push({ name: `${harness}-${point}-${at}-${kill}`, harness, point, kill, at });
        }
        turn += 1;
      }
    }
  }
  return cases;
}

function isEffectPoint(point: FaultPoint): boolean {
  return point.endsWith('_send') || point.endsWith('_reply') || point.endsWith('_record');
}

describe.concurrent('a crash loses nothing and repeats nothing', { timeout: 120_000 }, () => {
  it.each(toCases())('$harness, $kill killed $point at $at', async (crash) => {
    expect(await runCrash(world, crash)).toEqual([]);
  });
});
