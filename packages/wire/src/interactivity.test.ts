// Prompts appear only where a person is known to sit, whatever else is set.
import { expect, test } from 'vitest';
import { AGENT_VARIABLES, decidePromptRefusal, type PromptRefusal } from './interactivity.ts';

type Environment = Record<string, string>;

function refusal(environment: Environment, stdin = true, stdout = true): PromptRefusal | undefined {
  return decidePromptRefusal({ stdinIsTerminal: stdin, stdoutIsTerminal: stdout, environment });
}

test.each<[string, Environment, boolean, boolean, PromptRefusal | undefined]>([
  ['a person at a terminal', {}, true, true, undefined],
  ['piped stdin', {}, false, true, 'not_a_terminal'],
  ['piped stdout', {}, true, false, 'not_a_terminal'],
  ['piped stdin, though said to be interactive', { GBRAIN_INTERACTIVE: '1' }, false, true, 'not_a_terminal'],
  ['CI', { CI: 'true' }, true, true, 'ci'],
  ['CI with a person', { CI: 'true', GBRAIN_INTERACTIVE: '1' }, true, true, undefined],
  ['an empty CI', { CI: '' }, true, true, undefined],
  ['never', { GBRAIN_NON_INTERACTIVE: '1' }, true, true, 'non_interactive'],
  ['never beats always', { GBRAIN_NON_INTERACTIVE: '1', GBRAIN_INTERACTIVE: '1' }, true, true, 'non_interactive'],
  ['a value that is not 1', { GBRAIN_NON_INTERACTIVE: 'yes' }, true, true, undefined],
  ['a Codex home', { CODEX_HOME: '/x' }, true, true, undefined],
])('%s', (_name, environment, stdin, stdout, expected) => {
  expect(refusal(environment, stdin, stdout)).toBe(expected);
});

test.each([...AGENT_VARIABLES])('under %s only a person who says so is asked', (name) => {
  expect(refusal({ [name]: '1' })).toBe('agent_process');
  expect(refusal({ [name]: '1', GBRAIN_INTERACTIVE: '1' })).toBeUndefined();
});
