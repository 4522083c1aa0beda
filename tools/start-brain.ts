// The second half of npm start: one durable turn. The server is killed in the middle of a turn and started again; what
// was sent stays sent once, and the journal says so.
import { join } from 'node:path';
import { Brain, tool } from '@gbrain/brain-client/brain';
import { startBrain } from '@gbrain/testkit/brain-process';
import { startScriptedModel } from '@gbrain/testkit/scripted-model';

const say = (text: string) => process.stdout.write(`  ${text}\n`);

/** A turn with a model call and a tool call, then a kill in the middle of another, over a scripted model. */
export async function showDurableTurn(root: string, dataDir: string): Promise<void> {
  let isStuck = false;
  const model = await startScriptedModel((hit) => {
    if (isStuck) return { silent: true };
    const isAnswered = JSON.stringify(hit.body.input).includes('function_call_output');
    if (isAnswered) return { text: 'It is 19 degrees in Lisbon.' };
    return { toolCalls: [{ id: 'call-1', name: 'weather', input: { city: 'Lisbon' } }] };
  });
  const options = {
    dataDir,
    server: join(root, 'packages/brain/dist/brain.js'),
    env: { BRAIN_OPENAI_BASE_URL: model.baseUrl },
  };
  let server = await startBrain(options);
  let client = new Brain({ baseUrl: server.baseUrl });
  let toolRuns = 0;
  const weather = tool({
    name: 'weather',
    description: 'Temperature of a city.',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: () => {
      toolRuns += 1;
      return { degrees: 19 };
    },
  });
  const session = await client.sessions.create({
    model: { provider: 'openai', name: 'scripted', apiKey: 'sk-not-a-real-key' },
    tools: [weather],
  });
  const first = await session.send('How warm is it in Lisbon?');
  say(`${session.id}: "${first.text}" (${model.hits.length} model calls, ${toolRuns} tool call)`);

  isStuck = true;
  const before = model.hits.length;
  const cut = session.send('And tomorrow?').catch(() => undefined);
  while (model.hits.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
  say('The server is killed while the model has not answered, and started again');
  client.close();
  await server.kill('SIGKILL');
  await cut;
  server = await startBrain({ ...options, port: server.port });
  client = new Brain({ baseUrl: server.baseUrl });
  const { body } = await server.api('GET', `/v1/sessions/${session.id}/events?after=0`);
  const events = body.events as { sequence: number; event_type: string }[];
  for (const event of events) say(`${String(event.sequence).padStart(3)}  ${event.event_type}`);
  if (model.hits.length !== before + 1) throw new Error('a model call was sent twice');
  say(`${model.hits.length} model calls in all: the one that was cut is recorded, and was not sent again`);
  client.close();
  await server.kill('SIGTERM');
  await model.close();
}
