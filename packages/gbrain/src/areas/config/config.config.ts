// Settings of a machine's home. Source: facts/engine J, facts/contract D.7, decisions 14a and 21.
import { defineSettings } from '../../settings.ts';

export default defineSettings({
  engine: {
    type: 'enum',
    values: ['pglite', 'postgres'],
    summary: 'Engine of the brain: embedded, or a Postgres server.',
    requirement: 'facts/engine J',
  },
  database_path: {
    type: 'string',
    summary: 'Data folder of the embedded engine.',
    requirement: 'facts/engine J',
  },
  database_url: {
    type: 'string',
    env: 'GBRAIN_DATABASE_URL',
    pattern: /^postgres(ql)?:\/\//,
    secret: true,
    summary: 'Address of the Postgres server.',
    requirement: 'facts/engine J',
  },
  'search.mode': {
    type: 'enum',
    values: ['conservative', 'balanced', 'tokenmax'],
    default: 'balanced',
    summary: 'How much text a search may return.',
    requirement: 'AGENT_OPERATOR v1, First run',
  },
  'memory.auto_writeback': {
    type: 'enum',
    values: ['off', 'salient', 'all'],
    summary: 'Which of the things a user states agents save without being asked.',
    requirement: 'AGENT_OPERATOR v1, First run',
  },
  'consent.preapprove.paid.max_usd_per_run': {
    type: 'number',
    min: 0,
    max: 10_000,
    summary: 'Paid runs whose estimate is at or under this many US dollars run without asking.',
    requirement: 'AGENT_OPERATOR v1, Consent and preapproval',
  },
  'consent.preapprove.persistent_install': {
    type: 'boolean',
    summary: 'Services, hooks and registrations are installed without asking; never credentials.',
    requirement: 'AGENT_OPERATOR v1, Consent and preapproval',
  },
  'mcp.result_rows': {
    type: 'enum',
    values: ['lean', 'full'],
    default: 'lean',
    summary: 'Which rows a search over MCP gives when the call does not say; full ones carry how they were ranked.',
    requirement: 'mcp-access, Result rows',
  },
  'mcp.strict_params': {
    type: 'enum',
    values: ['warn', 'reject'],
    default: 'warn',
    summary: 'Whether an undeclared argument is left out with a notice or refused.',
    requirement: 'mcp-surface-runbook, Move 3',
  },
  'mcp.allow_session_widen': {
    type: 'boolean',
    default: true,
    summary: 'Whether a stdio session may widen its own surface with request_tools.',
    requirement: 'facts/contract G.8',
  },
  mcp_surface: {
    type: 'enum',
    values: ['verbs', 'starter', 'full'],
    summary: 'Surface of a stdio server that names none.',
    requirement: 'facts/contract G.1',
  },
  'mcp.advertised_surface': {
    type: 'enum',
    values: ['verbs', 'starter', 'full'],
    summary: 'Tools that a session lists at most; what it may call stays as its surface says.',
    requirement: 'facts/contract G.1',
  },
  'serve.share_local': {
    type: 'boolean',
    default: false,
    summary: 'A second stdio server forwards its calls to the one that has the brain open.',
    requirement: 'design/decisions 21',
  },
  'persistence.write_wait_ms': {
    type: 'number',
    min: 0,
    max: 600_000,
    default: 30_000,
    env: 'GBRAIN_WRITE_WAIT_MS',
    summary: 'How long a command waits for its write to commit, in milliseconds.',
    requirement: 'facts/contract J.3',
  },
});
