// Codes of finding, making and opening a brain. Source: facts/contract A.3, J.2.
import { defineErrors } from '../../failure.ts';
import { text } from '../../row-text.ts';

const INIT = { op: 'init', input: { pglite: true, embedding: false } };

export default defineErrors({
  no_brain: {
    class: 'caller',
    summary: 'There is no brain in this home, or its folder is gone.',
    reasons: ['no_brain', 'missing_brain'],
    message: (d) =>
      d.reason === 'missing_brain'
        ? `The brain's folder ${text(d, 'path')} is gone.`
        : `There is no brain in ${text(d, 'home')} yet.`,
    suggestion: (d) =>
      d.reason === 'missing_brain'
        ? 'Ask the user whether the folder was moved; a new brain would be empty.'
        : 'Make one; it takes a second and needs no key.',
    fix: (d) =>
      d.reason === 'missing_brain'
        ? {
            call: INIT,
            why: 'It makes a new, empty brain at the same place. If the old folder was moved, move it back instead.',
            userMessage: `gbrain's data folder is missing from ${text(d, 'path')}. Was it moved? I can also start a new, empty brain.`,
            userDecision: true,
          }
        : { call: INIT, why: 'It makes an empty brain in this home; nothing else on the machine is changed.' },
    example: { home: '/home/alice-example/.gbrain', reason: 'no_brain' },
  },
  unknown_brain: {
    class: 'caller',
    exit: 2,
    summary: 'No brain of this id is set up on this machine.',
    message: (d) => `There is no brain "${text(d, 'brain')}" on this machine.`,
    suggestion: 'Use host, the brain of this home.',
    fix: (_, at) => ({
      call: { op: at.operation, input: at.input },
      argvTail: ['--brain', 'host'],
      why: 'host is the only brain of this machine. Nothing ran.',
    }),
    example: { brain: 'work' },
  },
  lock_busy: {
    class: 'retryable',
    summary: 'Another process has the brain open and cannot take this call.',
    reasons: ['live_serve', 'timeout'],
    message: (d) =>
      `The brain is open in another process${d.pid ? ` (PID ${text(d, 'pid')})` : ''} that does not answer.`,
    suggestion: 'Wait until it is done, or close it, then run the same command again.',
    why: 'One process at a time may have an embedded brain open; nothing was read or changed.',
    fix: (_, at) => ({
      call: { op: at.operation, input: at.input },
      why: 'The same command works as soon as the other process answers or ends.',
    }),
    example: { pid: 4711, reason: 'timeout' },
  },
  migrations_pending: {
    class: 'caller',
    summary: 'The brain was written by a newer gbrain, or its schema cannot be brought up to date.',
    reasons: ['newer_schema', 'schema_unreadable', 'writer_too_old'],
    message: (d) =>
      d.reason === 'schema_unreadable'
        ? `${d.path ? `The brain at ${text(d, 'path')}` : 'This brain'} lacks tables or columns of this version.`
        : `This gbrain is older than the brain at ${text(d, 'path')}, so it does not open it.`,
    suggestion: (d) =>
      d.reason === 'schema_unreadable'
        ? 'Tell the user that the database is not one that gbrain made, or was changed by another program.'
        : 'Tell the user to update gbrain; the brain itself is fine.',
    why: (d) =>
      d.reason === 'schema_unreadable'
        ? 'A database that lacks what was written into it cannot be read as if it were whole.'
        : 'An older program could write rows that the newer one does not expect.',
    example: { path: '/home/alice-example/.gbrain/brain.pglite', reason: 'newer_schema' },
  },
  recovery_required: {
    class: 'consent',
    exit: 3,
    summary: 'An automatic repair of the brain failed; nothing opens it until the user has chosen.',
    reasons: ['repair_failed'],
    message: (d) => `The brain at ${text(d, 'path')} needs a decision: an automatic repair of it failed.`,
    suggestion: 'Ask the user; do not copy, rebuild, move or change the files yourself.',
    why: 'Writing on into a damaged brain could make it worse, so nothing opens it.',
    fix: (d) => ({
      argv: ['cat', text(d, 'record')],
      consent: ['destructive'],
      actor: 'user',
      why: 'The record beside the brain says what was tried and where the untouched files are.',
      userMessage: `An automatic repair of gbrain's data at ${text(d, 'path')} failed. Nothing was changed since. How should I go on?`,
      userDecision: true,
    }),
    example: {
      path: '/home/alice-example/.gbrain/brain.pglite',
      record: '/home/alice-example/.gbrain/brain.pglite.repair-failed.json',
      reason: 'repair_failed',
    },
  },
  brain_unopenable: {
    class: 'unavailable',
    summary: 'The embedded engine could not open its data folder.',
    message: (d) => `The brain at ${text(d, 'path')} could not be opened.`,
    suggestion: 'Tell the user; do not copy, move or change the folder.',
    why: 'The engine refused its own files. Nothing was changed.',
    fix: () => ({
      call: { op: 'run_doctor', input: { only: ['pglite_data_dir', 'disk_space', 'connection'] } },
      why: 'It reads the records beside the folder and says what is in the way, without opening it.',
    }),
    example: { path: '/home/alice-example/.gbrain/brain.pglite' },
  },
  brain_unreachable: {
    class: 'unavailable',
    summary: 'The Postgres server of the brain does not answer, or refuses the connection.',
    reasons: ['unreachable', 'auth_failed'],
    message: (d) => `The Postgres server of this brain is not reachable (${text(d, 'reason')}).`,
    suggestion: 'Tell the user to check the server and the address that is configured.',
    fix: () => ({
      call: { op: 'config_get', input: { key: 'database_url' } },
      actor: 'user',
      why: 'It shows whether an address is configured; the password is never printed.',
      verify: { op: 'run_doctor', input: { only: ['connection'] } },
    }),
    example: { reason: 'unreachable' },
  },
});
