// Codes of how a call is put: its words, its arguments, its payload, its time.
import { PassThrough } from 'node:stream';
import type { Provocation } from '../walk.ts';

const setting =
  (key: string, value: string): Provocation['state'] =>
  ({ home }) =>
    home.cli(['config', 'set', key, value]);

/** The brain answers nobody until this is called. */
let release: () => void = () => undefined;

/** The fact that an agent asks to purge. */
let purged = '';

export const asking: readonly Provocation[] = [
  {
    code: 'invalid_params',
    way: 'a value outside its set',
    cli: () => ['list', '--sort', 'bogus'],
    mcp: () => ['list_pages', { sort: 'bogus' }],
    next: 'run',
  },
  {
    code: 'invalid_params',
    way: 'a value of another type, the others kept',
    cli: () => ['list', '--limit', 'abc', '--tag', 'travel'],
    mcp: () => ['list_pages', { limit: 'abc', tag: 'travel' }],
    next: 'run',
  },
  {
    code: 'invalid_params',
    way: 'a value that only the caller knows',
    cli: () => ['get'],
    mcp: () => ['get_page', {}],
    next: { cli: 'run', mcp: 'tell_user_to_run' },
  },
  { code: 'unknown_tool', way: 'a misspelt one', mcp: () => ['get_pages', { slug: 'a' }], next: 'run' },
  {
    code: 'unknown_tool',
    way: 'one outside the surface',
    mcp: () => ['get_stats', {}],
    session: 'starter',
    next: 'run',
    settles: true,
  },
  {
    code: 'unknown_tool',
    way: 'a writing one on a reading session',
    mcp: () => ['put_page', { slug: 'asking/read-only', content: 'x\n' }],
    session: 'read-only',
    next: 'tell_user_to_run',
  },
  {
    code: 'trusted_local_only',
    state: async (at) => {
      const fact = 'The walrus is called Wanda';
      const saved = await (await at.session()).body('remember', { fact, provenance: 'user, in chat' });
      purged = String(saved.id);
    },
    mcp: () => ['purge_fact', { id: purged }],
    next: 'tell_user_to_run',
    leads: 'confirmation_required',
  },
  {
    code: 'permission_denied',
    way: 'a page of the owner alone',
    state: ({ home }) =>
      home.cli(['put', 'asking/private', '--content', '---\nvisibility: private\n---\nx\n', '--force']),
    mcp: () => ['put_page', { slug: 'asking/private', content: 'mine' }],
    next: 'tell_user_to_run',
  },
  {
    code: 'permission_denied',
    way: 'a setting of the host',
    state: setting('mcp.allow_session_widen', 'false'),
    mcp: () => ['request_tools', { surface: 'full' }],
    next: 'tell_user_to_run',
    settles: true,
  },
  { code: 'unknown_command', cli: () => ['gte', 'notes/a'], next: 'run' },
  { code: 'unknown_flag', cli: () => ['list', '--srot', 'title'], next: 'run' },
  {
    code: 'payload_too_large',
    cli: () => ({ argv: ['put', 'asking/large'], given: { stdin: 'x'.repeat(5_000_001) } }),
    inputs: { content: 'short\n' },
    next: 'run',
  },
  {
    code: 'stdin_silent',
    cli: () => ({
      argv: ['put', 'asking/silent'],
      given: { stdin: new PassThrough(), env: { GBRAIN_STDIN_TIMEOUT_MS: '20' } },
    }),
    next: 'run',
  },
  {
    code: 'timeout',
    state: async ({ brain }) => {
      const { store } = await brain();
      const held = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const over = store.tx(async () => {
        begun.resolve();
        await held.promise;
      });
      await begun.promise;
      release = () => held.resolve();
      over.catch(() => undefined);
    },
    cli: () => ['list', '--timeout', '0.05'],
    next: 'run',
    clear: async () => release(),
  },
  {
    code: 'interrupted',
    cli: () => ({ argv: ['list'], given: { signal: AbortSignal.abort('SIGINT') } }),
    next: {},
  },
];
