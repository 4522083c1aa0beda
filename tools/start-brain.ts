// Shows Brain at work: one durable turn over a scripted model, the server killed in the middle of another, its journal.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Brain, type SessionEvent, tool } from '@gbrain/brain-client/brain';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const launcher = join(root, 'packages/brain/bin/brain');
const dataDir = join(root, '.start', 'brain');

const say = (text: string) => process.stdout.write(`${text}\n`);
const step = (text: string) => say(`\n${text}`);

const frame = (data: { type: string; [key: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** A model that wants the tool once, answers then, and never answers what it is asked second. */
async function startModel(): Promise<{ url: string; calls: () => number; close(): void }> {
  let calls = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls += 1;
    const { input } = JSON.parse(body) as { input: { type?: string }[] };
    if (body.includes('Ship it')) return;
    const item =
      input.at(-1)?.type === 'function_call_output'
        ? { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Three are left.' }] }
        : { type: 'function_call', call_id: 'c', name: 'stock', arguments: '{"part":"arm"}' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(frame({ type: 'response.output_item.done', output_index: 0, item }));
    response.end(frame({ type: 'response.completed', response: { status: 'completed', output: [item], usage: {} } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls: () => calls, close };
}

async function startServer(port: number, modelUrl: string): Promise<ChildProcess> {
  const args = ['serve', '--listen', `127.0.0.1:${port}`, '--data-dir', dataDir];
  const env = { ...process.env, BRAIN_OPENAI_BASE_URL: modelUrl };
  const child = spawn(launcher, args, { stdio: 'ignore', env });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`brain ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.status === 204) return child;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill(signal);
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function show({ sequence, type, data }: SessionEvent): string {
  const text = JSON.stringify(data);
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return `    ${String(sequence).padStart(3)}  ${type.padEnd(24)} ${shown}`;
}

/** Runs the demonstration. Throws when what it shows does not hold. */
export async function showBrain(): Promise<void> {
  const model = await startModel();
  const port = await freePort();
  let server = await startServer(port, model.url);
  const brain = new Brain({ baseUrl: `http://127.0.0.1:${port}` });
  try {
    step('A durable turn over a scripted model, with a tool that runs in this process');
    const stock = tool({ name: 'stock', description: 'Parts in stock.', input: {}, run: () => ({ left: 3 }) });
    const binding = { provider: 'openai', name: 'scripted', apiKey: 'sk-not-a-key' };
    const session = await brain.sessions.create({ model: binding, tools: [stock] });
    const first = await session.send('How many arms are left?');
    say(`  > How many arms are left?\n    ${first.text}`);

    step('The server is killed while the model is asked, and started again');
    const pending = session.send('Ship it', {
      onEvent: (event) => {
        if (event.type === 'model_call_started') server.kill('SIGKILL');
      },
    });
    await new Promise((resolve) => server.once('close', resolve));
    const sent = model.calls();
    server = await startServer(port, model.url);
    const second = await pending;
    say(`  > Ship it\n    ${second.status}: ${second.failure?.code}. ${second.failure?.message}`);
    step('Its journal: what was sent is recorded as unknown, once, and was not sent again');
    for (const event of (await session.readEvents(first.through)).slice(0, 12)) say(show(event));
    if (model.calls() !== sent) throw new Error('something was sent again');
    say(`  brain verify: ${execFileSync(launcher, ['verify', '--data-dir', dataDir], { encoding: 'utf8' }).trim()}`);
    step('Talk to it yourself');
    say(`  ${launcher} serve`);
    say(`  OPENAI_API_KEY=... ${launcher} chat`);
  } finally {
    brain.close();
    model.close();
    await kill(server, 'SIGTERM');
  }
}
