// Which argv gets which pins, and where they stand.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Actor, CommandFacts } from './action.ts';
import { type PinConnection, pinArgv } from './pins.ts';

const COMMANDS: Record<string, CommandFacts> = {
  list: { opensBrain: true, routesSource: true, sourceFlag: '--source' },
  extract: { opensBrain: true, routesSource: true, sourceFlag: '--source-id' },
  doctor: { opensBrain: true, routesSource: false, sourceFlag: '--source' },
  sync: { opensBrain: true, routesSource: true, sourceFlag: '--source', thinClientSource: false },
  serve: { opensBrain: false, routesSource: false, sourceFlag: '--source' },
};

function connect(overrides: Partial<PinConnection> = {}): PinConnection {
  return {
    transport: 'cli',
    command: (argv) => COMMANDS[argv[1] ?? ''],
    target: { brain: 'host', source: 'default' },
    ...overrides,
  };
}

function pin(line: string, overrides: Partial<PinConnection> = {}, actor: Actor = 'agent'): string {
  return pinArgv(line.split(' '), connect(overrides), actor).join(' ');
}

test.each([
  ['gbrain list --sort updated', 'gbrain list --sort updated --brain host --source default'],
  ['gbrain list -- --brain', 'gbrain list --brain host --source default -- --brain'],
  ['gbrain list --brain b', 'gbrain list --brain b --source default'],
  ['gbrain list --brain=b --source=s', 'gbrain list --brain=b --source=s'],
  ['gbrain list --source-id s', 'gbrain list --source-id s --brain host'],
  ['gbrain list --all-sources', 'gbrain list --all-sources --brain host'],
  ['gbrain list --sources a,b', 'gbrain list --sources a,b --brain host'],
  ['gbrain extract --source db', 'gbrain extract --source db --brain host --source-id default'],
  ['gbrain extract --source-id s', 'gbrain extract --source-id s --brain host'],
  ['gbrain doctor --json', 'gbrain doctor --json --brain host'],
  ['gbrain serve --http', 'gbrain serve --http'],
  ['gbrain unheard-of', 'gbrain unheard-of'],
  ['kill 48213', 'kill 48213'],
  ['gbrained list', 'gbrained list'],
])('%s', (line, expected) => {
  expect(pin(line)).toBe(expected);
});

test('over HTTP the brain is never named, the source only where it can be sent', () => {
  expect(pin('gbrain list', { transport: 'http' })).toBe('gbrain list --source default');
  expect(pin('gbrain doctor', { transport: 'http' })).toBe('gbrain doctor');
  expect(pin('gbrain sync', { transport: 'http' })).toBe('gbrain sync');
  expect(pin('gbrain sync', { transport: 'http' }, 'host_admin')).toBe('gbrain sync --source default');
});

test('without a target nothing is pinned, without a source only the brain is', () => {
  expect(pinArgv(['gbrain', 'list'], { transport: 'cli', command: () => COMMANDS.list }, 'agent')).toEqual([
    'gbrain',
    'list',
  ]);
  expect(pin('gbrain list', { target: { brain: 'work' } })).toBe('gbrain list --brain work');
});

test('pinning is idempotent, keeps every word in order and never writes behind a bare --', () => {
  const word = fc.constantFrom('a', '--', '--brain', '--source', '--source=x', '--json', '--sources', 'b c');
  const transport = fc.constantFrom('cli' as const, 'stdio' as const, 'http' as const);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(COMMANDS)), fc.array(word), transport, (command, rest, via) => {
      const argv = ['gbrain', command, ...rest];
      const connection = connect({ transport: via });
      const once = pinArgv(argv, connection, 'agent');
      expect(pinArgv(once, connection, 'agent')).toEqual(once);
      const end = argv.indexOf('--');
      const tail = end === -1 ? [] : argv.slice(end);
      const head = end === -1 ? argv : argv.slice(0, end);
      expect(once.slice(0, head.length)).toEqual(head);
      expect(once.slice(once.length - tail.length)).toEqual(tail);
    }),
  );
});
