#!/usr/bin/env node
// Harnesses for tests, over the real binding; the first argument chooses how one behaves.
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

const name = process.argv[2] ?? 'loop';
const behaviour = BEHAVIOURS[name];
if (!behaviour) throw new Error(`there is no behaviour ${name}`);
serve({ ...loopHarness, name: `test-${name}`, ...behaviour });
