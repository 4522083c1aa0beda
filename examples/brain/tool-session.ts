// A session with a tool that runs in this process: asks a question, shows what happens, prints the answer.
//
//   npx brain serve                                                    in one terminal, with any model provider
//   OPENAI_API_KEY=... node tools/with-node.mjs examples/brain/tool-session.ts        in another
import process from 'node:process';
import { Brain, isEvent, tool } from '@gbrain/brain-client/brain';
import { z } from 'zod';

const weather = tool({
  name: 'weather',
  description: 'The weather of a city, now.',
  input: z.object({ city: z.string() }),
  output: z.object({ celsius: z.number(), sky: z.string() }),
  // Runs here. Brain records that it is about to be called, calls it once, and records what it said.
  run: ({ city }) => ({ celsius: city === 'Oslo' ? -4 : 18, sky: 'clear' }),
});

const { BRAIN_URL = 'http://127.0.0.1:8080', BRAIN_API_TOKEN, BRAIN_MODEL = 'gpt-5', OPENAI_API_KEY } = process.env;
if (!OPENAI_API_KEY) throw new Error('Set OPENAI_API_KEY: Brain seals it and calls the model itself.');

const brain = new Brain({ baseUrl: BRAIN_URL, ...(BRAIN_API_TOKEN && { token: BRAIN_API_TOKEN }) });
const session = await brain.sessions.create({
  model: { provider: 'openai', name: BRAIN_MODEL, apiKey: OPENAI_API_KEY },
  system: 'Answer in one sentence. Use the tools you have.',
  tools: [weather],
});

const question = process.argv[2] ?? 'Is it cold in Oslo?';
const outcome = await session.send(question, {
  onEvent(event) {
    if (isEvent(event, 'tool_call_started')) {
      console.error(`record ${event.sequence}: ${event.data.tool} ${JSON.stringify(event.data.invocation.input)}`);
    }
  },
});

if (outcome.status === 'ended') console.log(outcome.text);
else console.error(`The turn failed: ${outcome.failure?.code}: ${outcome.failure?.message}`);
await session.end();
brain.close();
