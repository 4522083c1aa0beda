// The confirmation payload and the block beside it, as transcript 2 has them.
import { describe, expect, test } from 'vitest';
import type { Connection } from './action.ts';
import type { ConsentRequest } from './envelope.ts';
import { parseAgentBlocks } from './marker-parse.ts';
import { approvedAction, consentAgentBlock, consentTerminalLines, renderConsent } from './render-consent.ts';

function connect(transport: Connection['transport']): Connection {
  return {
    transport,
    isCallable: () => transport !== 'cli',
    command: () => ({ opensBrain: true, routesSource: false, sourceFlag: '--source' }),
    target: { brain: 'host', source: 'default' },
    preapproval: { persistentInstall: false },
  };
}

const PAID: ConsentRequest = {
  effects: ['paid'],
  actor: 'agent',
  what: 'doctor --remediate',
  why: 'It embeds 120 pages again.',
  risk: 'Spends up to the cap.',
  est_usd: 0.4,
  user_message: 'This costs about $0.40. OK?',
  approve: {
    argv: ['gbrain', 'doctor', '--remediate', '--max-usd', '0.60'],
    consent: [],
    actor: 'agent',
    why: '',
    requires_exclusive: false,
  },
  preview_argv: ['gbrain', 'doctor', '--remediation-plan', '--json'],
};

const DESTRUCTIVE: ConsentRequest = {
  ...PAID,
  effects: ['destructive'],
  what: 'pglite-repair',
  est_usd: null,
  plan_hash: 'ph_0123456789abcdef01234567',
  approve: { ...PAID.approve, argv: ['gbrain', 'pglite-repair', '--', 'x'] },
};

test('transcript 2, key by key', () => {
  const payload = renderConsent(PAID, connect('cli'));
  expect(Object.keys(payload)).toEqual([
    ...['status', 'error', 'code', 'message', 'suggestion', 'effects', 'actor', 'why', 'risk', 'est_usd'],
    ...['user_message', 'fix', 'preview', 'preapprove_argv', 'docs_cmd', 'contract_version'],
  ]);
  expect(Object.keys(payload.fix)).toEqual([
    ...['argv', 'command', 'consent', 'actor', 'next', 'why', 'user_message', 'requires_exclusive', 'preview_argv'],
  ]);
  expect(payload).toMatchObject({
    status: 'confirmation_required',
    error: 'confirmation_required',
    code: 'confirmation_required',
    effects: ['paid'],
    actor: 'agent',
    est_usd: 0.4,
    fix: {
      command: 'gbrain doctor --remediate --max-usd 0.60 --yes --brain host',
      consent: ['paid'],
      next: 'ask_user',
      why: PAID.why,
      user_message: PAID.user_message,
    },
    preview: { command: 'gbrain doctor --remediation-plan --json --brain host' },
    preapprove_argv: ['gbrain', 'config', 'set', 'consent.preapprove.paid.max_usd_per_run', '<usd>'],
    docs_cmd: ['gbrain', 'errors', 'confirmation_required'],
  });
  expect(payload.message).toMatch(/^doctor --remediate .*nothing was changed\.$/);
  expect(payload.suggestion).toContain(PAID.user_message);
  expect(payload.suggestion.endsWith(payload.fix.command ?? '-')).toBe(true);
});

test('its block', () => {
  const payload = renderConsent(PAID, connect('cli'));
  const approved = 'gbrain doctor --remediate --max-usd 0.60 --yes --brain host';
  const always = "gbrain config set consent.preapprove.paid.max_usd_per_run '<usd>'";
  const preview = 'gbrain doctor --remediation-plan --json --brain host';
  expect(consentAgentBlock(payload, 'cli').split('\n')).toEqual([
    '[AGENT]',
    'ask: This costs about $0.40. OK?',
    'why: It embeds 120 pages again.',
    'risk: Spends up to the cap.',
    'consent: paid',
    'actor: agent',
    'next: ask_user',
    `if_yes: ${approved} — To stop asking for runs under a limit the user picks: ${always}`,
    `if_no: Nothing runs; nothing was changed. To look first (read-only): ${preview}`,
    '[SHOW USER]',
    'This costs about $0.40. OK?',
    '[/SHOW USER]',
    '[/AGENT]',
  ]);
});

describe('destructive work', () => {
  test('is bound to its plan and never preapprovable', () => {
    const payload = renderConsent(DESTRUCTIVE, connect('cli'));
    expect(payload.fix.command).toBe(
      'gbrain pglite-repair --yes --expect ph_0123456789abcdef01234567 --brain host -- x',
    );
    expect(payload.plan_hash).toBe('ph_0123456789abcdef01234567');
    expect(payload.fix.plan_hash).toBe(payload.plan_hash);
    expect(payload.preapprove_argv).toBeUndefined();
    expect(
      renderConsent({ ...DESTRUCTIVE, effects: ['paid', 'destructive'] }, connect('cli')).preapprove_argv,
    ).toBeUndefined();
  });

  test('keeps flags that the command carries, and adds none to another program', () => {
    const argv = ['gbrain', 'x', '--yes', '--expect=ph_a'];
    expect(approvedAction({ ...DESTRUCTIVE, approve: { ...PAID.approve, argv } }).argv).toEqual(argv);
    const other = ['claude', 'mcp', 'add'];
    expect(approvedAction({ ...DESTRUCTIVE, approve: { ...PAID.approve, argv: other } }).argv).toEqual(other);
  });

  test('other effects carry no plan into --expect', () => {
    const request: ConsentRequest = { ...DESTRUCTIVE, effects: ['egress'] };
    expect(approvedAction(request).argv).toEqual(['gbrain', 'pglite-repair', '--yes', '--', 'x']);
  });
});

test('over MCP the command is the user’s or the host operator’s', () => {
  expect(renderConsent(PAID, connect('stdio'))).toMatchObject({ actor: 'user', fix: { next: 'tell_user_to_run' } });
  const remote = renderConsent({ ...PAID, why: 'Reads /srv/brain/x.' }, connect('http'));
  expect(remote).toMatchObject({ actor: 'host_admin', why: 'Reads <path>.', fix: { next: 'tell_user_to_run' } });
});

test('without a preview it is null, and the block names none', () => {
  const { preview_argv: _preview, ...request } = PAID;
  const payload = renderConsent(request, connect('cli'));
  expect(payload.preview).toBeNull();
  const fields = new Map(parseAgentBlocks(consentAgentBlock(payload, 'cli')).blocks[0]?.fields);
  expect(fields.get('if_no')).toBe('Nothing runs; nothing was changed.');
});

test('notices ride the payload, ordered', () => {
  const payload = renderConsent(PAID, connect('cli'), [
    { code: 'a', kind: 'info', why: '' },
    { code: 'b', kind: 'degraded', why: '' },
  ]);
  expect(payload.notices?.map(({ code }) => code)).toEqual(['b', 'a']);
});

test('a terminal reads lines', () => {
  const lines = consentTerminalLines(renderConsent(PAID, connect('cli')));
  expect(lines[0]).toMatch(/^Error \[confirmation_required\]: /);
  expect(lines).toContain('Estimated cost: $0.40');
  expect(lines).toContain('To approve: gbrain doctor --remediate --max-usd 0.60 --yes --brain host');
});
