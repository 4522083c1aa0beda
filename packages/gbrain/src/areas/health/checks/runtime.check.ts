// runtime: the launcher that registrations name is there and may be run.
import { access, constants } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { defineCheck } from '../../../check.ts';

export default defineCheck({
  name: 'runtime',
  category: 'ops',
  summary: 'The launcher that agent apps are given is there and may be run.',
  requirement: 'facts/user-faults P3 (absolute launcher paths)',
  needsBrain: false,
  run: async ({ host }) => {
    const { launcher, version } = host;
    const details = { version, node: process.versions.node, launcher };
    const message = `gbrain ${version} on Node ${process.versions.node}`;
    const fixUnavailable = 'Install gbrain again; agent apps that name this path cannot start it.';
    if (!isAbsolute(launcher)) {
      return { status: 'warn', message: `${message}, started by a name and not by a path`, details, fixUnavailable };
    }
    try {
      await access(launcher, constants.X_OK);
    } catch {
      return { status: 'fail', message: `${message}; ${launcher} cannot be run`, details, fixUnavailable };
    }
    return { status: 'ok', message, details };
  },
});
