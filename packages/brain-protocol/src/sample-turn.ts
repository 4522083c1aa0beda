// One complete turn as protocol lines: printed in the generated page and frozen as a golden file.

import { ALL_SHAPES } from './catalogue/all.ts';
import { SESSION } from './catalogue/entry.ts';
import { CALL_EXAMPLES } from './catalogue/harness.ts';
import * as v from './catalogue/values.ts';

/** A line and who wrote it. */
export interface SampleLine {
  from: 'brain' | 'harness';
  line: Record<string, unknown>;
}

const example = (name: string) => ALL_SHAPES.find((entry) => entry.name === name)?.example;
const run = { session_id: SESSION, sequence: 4 };

/** The lines in the order in which they cross the pipes. */
export function sampleTurn(): SampleLine[] {
  const lines: SampleLine[] = [];
  const request = (from: SampleLine['from'], id: number, method: string, params: unknown) =>
    lines.push({ from, line: { jsonrpc: '2.0', id, method, params } });
  const answer = (from: SampleLine['from'], id: number, result: unknown) =>
    lines.push({ from, line: { jsonrpc: '2.0', id, result } });
  const call = (id: number, method: string, input: unknown, result: unknown) => {
    request('harness', id, 'brain/call', { ...run, method, input });
    answer('brain', id, result);
  };
  const asked = [v.userMessage, v.toolUseMessage, v.toolResultMessage];
  const toolTurn = {
    message: v.toolUseMessage,
    stop_reason: 'tool_use',
    usage: { input_tokens: 48, output_tokens: 12 },
  };

  request('brain', 1, 'initialize', example('initialize_params'));
  answer('harness', 1, example('initialize_result'));
  request('brain', 2, 'run', example('run_params'));
  call(1, 'set_transcript', [v.userMessage], 6);
  call(2, 'model', { messages: [v.userMessage] }, toolTurn);
  call(3, 'set_transcript', asked.slice(0, 2), 9);
  call(4, 'dispatch', CALL_EXAMPLES.dispatch.input, [dispatched]);
  call(5, 'set_transcript', asked, 13);
  call(6, 'model', { messages: asked }, v.modelResult);
  call(7, 'set_transcript', [...asked, v.answerMessage], 16);
  call(8, 'emit', CALL_EXAMPLES.emit.input, 17);
  answer('harness', 2, {});
  request('brain', 3, 'close', { session_id: SESSION });
  answer('harness', 3, {});
  return lines;
}

const at = (sequence: number, event_type: string, data: unknown) => ({
  sequence,
  recorded_at_ms: v.toolEndedEvent.recorded_at_ms,
  event_type,
  data,
});

const dispatched = {
  call_id: 'call_1',
  sequence: 10,
  events: [
    at(11, 'tool_result_emitted', {
      sequence: 10,
      result: { call_id: 'call_1', output: { celsius: 4 }, is_error: false },
    }),
    at(12, 'tool_call_ended', { sequence: 10, outcome: { status: 'ok', value: null } }),
  ],
  finished: true,
};
