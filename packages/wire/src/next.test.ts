// The next table, row by row and then over every combination of its facts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Actor, Next } from './action.ts';
import { decideNext, type NextFacts } from './next.ts';

const BASE: NextFacts = {
  userDecision: false,
  transport: 'stdio',
  hasArgv: true,
  hasMcp: true,
  mcpCallable: true,
  actor: 'agent',
  consentCovered: true,
};

const ROWS: [string, Partial<NextFacts>, Next][] = [
  ['1 a stored user decision', { userDecision: true }, 'ask_user'],
  ['1 even with nothing to run', { userDecision: true, hasArgv: false, hasMcp: false }, 'ask_user'],
  ['2 nothing to run', { hasArgv: false, hasMcp: false }, 'report'],
  ['2 a call that is not callable', { hasArgv: false, mcpCallable: false }, 'report'],
  ['2 before the provider', { hasArgv: false, hasMcp: false, actor: 'provider' }, 'report'],
  ['3 a provider', { actor: 'provider' }, 'wait'],
  ['3 before a CLI-only fix on MCP', { actor: 'provider', hasMcp: false }, 'wait'],
  ['4 a user', { actor: 'user' }, 'tell_user_to_run'],
  ['4 a host admin', { actor: 'host_admin' }, 'tell_user_to_run'],
  ['4 CLI-only on MCP', { hasMcp: false }, 'tell_user_to_run'],
  ['4 not callable on MCP', { mcpCallable: false, transport: 'http' }, 'tell_user_to_run'],
  ['4 MCP-only on the CLI', { transport: 'cli', hasArgv: false }, 'tell_user_to_run'],
  ['4 before consent', { actor: 'user', consentCovered: false }, 'tell_user_to_run'],
  ['5 consent that nothing covers', { consentCovered: false }, 'ask_user'],
  ['6 otherwise', {}, 'run'],
  ['6 argv on the CLI', { transport: 'cli', hasMcp: false }, 'run'],
];

test.each(ROWS)('row %s', (_name, facts, expected) => {
  expect(decideNext({ ...BASE, ...facts })).toBe(expected);
});

/** The table again, as the specification words it, from other building blocks than the code's. */
function oracle(f: NextFacts): Next {
  const onMcp = f.transport !== 'cli';
  const callable = onMcp && f.hasMcp && f.mcpCallable;
  const mcpOnlyOnCli = !onMcp && f.hasMcp && !f.hasArgv;
  const cliOnlyOnMcp = onMcp && f.hasArgv && !callable;
  const rows: [boolean, Next][] = [
    [f.userDecision, 'ask_user'],
    [!f.hasArgv && !callable && !mcpOnlyOnCli, 'report'],
    [f.actor === 'provider', 'wait'],
    [['user', 'host_admin'].includes(f.actor) || cliOnlyOnMcp || mcpOnlyOnCli, 'tell_user_to_run'],
    [!f.consentCovered, 'ask_user'],
    [true, 'run'],
  ];
  return (rows.find(([matches]) => matches) as [boolean, Next])[1];
}

test('all 384 combinations agree with the table', () => {
  const bools = [false, true];
  let seen = 0;
  for (const transport of ['cli', 'stdio', 'http'] as const)
    for (const actor of ['agent', 'user', 'host_admin', 'provider'] as const)
      for (const userDecision of bools)
        for (const hasArgv of bools)
          for (const hasMcp of bools)
            for (const mcpCallable of bools)
              for (const consentCovered of bools) {
                const facts = { userDecision, transport, hasArgv, hasMcp, mcpCallable, actor, consentCovered };
                expect(decideNext(facts), JSON.stringify(facts)).toBe(oracle(facts));
                seen += 1;
              }
  expect(seen).toBe(3 * 4 * 32);
});

test('run is only ever said to an agent that can run it and needs no further agreement', () => {
  const facts = fc.record({
    userDecision: fc.boolean(),
    transport: fc.constantFrom('cli' as const, 'stdio' as const, 'http' as const),
    hasArgv: fc.boolean(),
    hasMcp: fc.boolean(),
    mcpCallable: fc.boolean(),
    actor: fc.constantFrom<Actor>('agent', 'user', 'host_admin', 'provider'),
    consentCovered: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, (f) => {
      if (decideNext(f) !== 'run') return;
      expect(f.actor).toBe('agent');
      expect(f.consentCovered).toBe(true);
      expect(f.transport === 'cli' ? f.hasArgv : f.hasMcp && f.mcpCallable).toBe(true);
    }),
  );
});
