// Which document a failure becomes, and which stream its text goes to.
import { describe, expect, test } from 'vitest';
import type { Connection } from './action.ts';
import { sharedFailure } from './codes.ts';
import type { ConsentRequest, Failure } from './envelope.ts';
import { humanFailure, isConsentPayload, renderFailure } from './render-failure.ts';

const CLI: Connection = {
  transport: 'cli',
  isCallable: () => false,
  command: () => undefined,
  preapproval: { persistentInstall: false },
};

const CONSENT: ConsentRequest = {
  effects: ['egress'],
  actor: 'agent',
  what: 'export',
  why: 'It sends pages away.',
  risk: 'They leave this machine.',
  est_usd: null,
  user_message: 'May I send them?',
  approve: { argv: ['gbrain', 'export'], consent: [], actor: 'agent', why: '', requires_exclusive: false },
};

const ERROR: Failure = sharedFailure('timeout', { notices: [{ code: 'n', kind: 'info', why: 'Slow disk.' }] });
const ASKING: Failure = { ...ERROR, code: 'confirmation_required', class: 'consent', consent: CONSENT };

test('a failure with a consent request is the confirmation payload, any other the envelope', () => {
  expect(isConsentPayload(renderFailure(ASKING, CLI))).toBe(true);
  expect(isConsentPayload(renderFailure(ERROR, CLI))).toBe(false);
  expect(renderFailure(ERROR, CLI)).toMatchObject({ code: 'timeout', class: 'retryable', retryable: true });
});

describe('as text', () => {
  test('an error is lines on stderr, its notices behind it', () => {
    expect(humanFailure(ERROR, CLI, 'terminal')).toEqual({
      stdout: [],
      stderr: [
        'Error [timeout]: The time limit of the request ran out.',
        'Fix: Look at what became of it before you send it again.',
        'Docs: gbrain errors timeout',
        'Note [n]: Slow disk.',
      ],
    });
    expect(humanFailure(ERROR, CLI, 'agent_block').stderr.at(-1)).toBe('[AGENT]\nwhy: [n] Slow disk.\n[/AGENT]');
  });

  test('a question without a terminal is a block on stdout and one line on stderr', () => {
    const text = humanFailure({ ...ASKING, notices: [] }, CLI, 'agent_block');
    expect(text.stdout).toHaveLength(1);
    expect(text.stdout[0]).toMatch(/^\[AGENT\]\nask: May I send them\?\n/);
    expect(text.stderr).toHaveLength(1);
    expect(text.stderr[0]).toMatch(/^Error \[confirmation_required\]: /);
  });

  test('a question at a terminal is lines on stderr', () => {
    const text = humanFailure({ ...ASKING, notices: [] }, CLI, 'terminal');
    expect(text.stdout).toEqual([]);
    expect(text.stderr).toContain('To approve: gbrain export --yes');
  });
});
