// The thread of schema checks: answers one question after another. What bounds it stands outside.
import { parentPort } from 'node:worker_threads';
import { answerSchema, type SchemaQuestion } from './schema-checks.ts';

/** From the thread: that it runs, then one answer a question. */
export type SchemaAnswer = { type: 'ready' } | { type: 'checked'; fault: string | undefined };

const port = parentPort;
if (!port) throw new Error('schema checks run on a worker thread');
const say = (answer: SchemaAnswer) => port.postMessage(answer);
port.on('message', (question: SchemaQuestion) => say({ type: 'checked', fault: answerSchema(question) }));
say({ type: 'ready' });
