#!/usr/bin/env node
// Harnesses for tests, over the real binding; the first argument chooses how one behaves.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import { echoHarness } from '@gbrain/harness/echo';
import type { HarnessOptions } from '@gbrain/harness/harness';
import { loopHarness } from '@gbrain/harness/loop/loop';
import { serve } from '@gbrain/harness/serve';

const run = loopHarness.run;

const BEHAVIOURS: Record<string, Partial<HarnessOptions>> = {
  echo: { run: echoHarness.run },
  loop: {},
  /** One model call and one output, nothing kept: what a durable turn costs at least. */
  plain: {
    async run({ input, model, emit }) {
      const text = typeof input?.message === 'string' ? input.message : '';
      const { message } = await model({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
      await emit('output_emitted', { type: 'assistant_message', message: message as unknown as JsonValue });
    },
  },
  /** Goes on as if nothing had been said, and succeeds. */
  'ignore-cancel': {
    async run(context) {
      try {
        return await run(context);
      } catch {
        // Work of its own that a cancel does not touch.
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { fine: true };
      }
    },
  },
  /** Takes every error for a trifle and tries on, as upstream loops do. */
  'swallow-fatal': {
    async run(context) {
      await Promise.resolve(run(context)).catch(() => {});
      for (let tries = 0; tries < 3; tries += 1) {
        await context
          .model({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Again' }] }] })
          .catch(() => {});
      }
      return { fine: true };
    },
  },
};

/** Folder of the registration, from `initialize`. */
let home = '';
const note = (file: string, line: string) => appendFileSync(file, `${line}\n`);

/** Keeps state of its own in the session's folder, and notes what it is told to close and to forget. */
BEHAVIOURS.native = {
  configurationSchema: {
    type: 'object',
    properties: { tone: { type: 'string' }, size: { type: 'integer' } },
    additionalProperties: false,
  },
  initialize: ({ state_dir }) => {
    home = state_dir;
  },
  async run({ stateDir, configuration }) {
    note(join(stateDir, 'notes'), 'run');
    const isSlow = configuration.tone === 'slow';
    while (isSlow && !existsSync(join(stateDir, 'go'))) await new Promise((resolve) => setTimeout(resolve, 10));
    return { pid: process.pid, notes: readFileSync(join(stateDir, 'notes'), 'utf8'), configuration };
  },
  close: (sessionId) => note(join(home, 'closed'), sessionId),
  delete: (sessionId) => note(join(home, 'deleted'), sessionId),
};

const name = process.argv[2] ?? 'loop';
const behaviour = BEHAVIOURS[name];
if (!behaviour) throw new Error(`there is no behaviour ${name}`);
serve({ ...loopHarness, name: `test-${name}`, ...behaviour });
