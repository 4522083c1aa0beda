// Holds the wire of Brain still: one turn of brain/harness/v1 line by line, and the notation of every shape.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SHAPES } from '@gbrain/brain-protocol/catalogue/all';
import {
  CALL_METHODS,
  type CallMethod,
  CallParams,
  EmptyResult,
  InitializeParams,
  InitializeResult,
  RunParams,
  RunResult,
  SessionParams,
} from '@gbrain/brain-protocol/harness';
import { toNotation } from '@gbrain/brain-protocol/notation';
import { sampleTurn } from '@gbrain/brain-protocol/sample-turn';
import { toSchemas, toTypeName } from '@gbrain/brain-protocol/schemas';
import { describe, expect, it } from 'vitest';

const golden = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

interface Line {
  id: number;
  method?: string;
  params?: unknown;
  result?: unknown;
}

/** Lines of the golden turn: who wrote each, and the object. */
function readTurn(): { from: string; line: Line }[] {
  return golden('harness-turn.lines')
    .trimEnd()
    .split('\n')
    .map((text) => ({ from: text.slice(0, 9).trim(), line: JSON.parse(text.slice(9)) as Line }));
}

const REQUESTS = {
  initialize: { params: InitializeParams, result: InitializeResult },
  run: { params: RunParams, result: RunResult },
  close: { params: SessionParams, result: EmptyResult },
} as const;

describe('brain/harness/v1', () => {
  it('is the sample turn to the byte', () => {
    const lines = sampleTurn().map(({ from, line }) => `${from.padEnd(9)}${JSON.stringify(line)}`);
    expect(`${lines.join('\n')}\n`).toBe(golden('harness-turn.lines'));
  });

  it('has every line of the golden turn accepted by the shapes', () => {
    const open = new Map<string, Line>();
    for (const { from, line } of readTurn()) {
      const other = from === 'brain' ? 'harness' : 'brain';
      if (line.method) {
        open.set(`${from} ${line.id}`, line);
        if (line.method === 'brain/call') {
          const call = CallParams.parse(line.params);
          CALL_METHODS[call.method as CallMethod].input.parse(call.input);
        } else REQUESTS[line.method as keyof typeof REQUESTS].params.parse(line.params);
        continue;
      }
      const request = open.get(`${other} ${line.id}`);
      expect(request, `an answer to ${line.id} without a request`).toBeDefined();
      if (request?.method === 'brain/call') {
        const { method } = request.params as { method: CallMethod };
        CALL_METHODS[method].result.parse(line.result);
      } else REQUESTS[request?.method as keyof typeof REQUESTS].result.parse(line.result);
      open.delete(`${other} ${line.id}`);
    }
    expect([...open.keys()]).toEqual([]);
  });
});

describe('shapes', () => {
  it('are those of the golden file', () => {
    const schemas = toSchemas();
    const text = ALL_SHAPES.map((entry) => {
      const name = toTypeName(entry.name);
      return `${name} = ${toNotation(schemas[name] ?? {})}\n${JSON.stringify(entry.example)}\n`;
    });
    expect(text.join('\n')).toBe(golden('shapes.golden'));
  });
});
