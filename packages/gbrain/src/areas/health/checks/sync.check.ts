// sync: sources whose files are their truth are read into the brain.
import { stat } from 'node:fs/promises';
import { defineCheck } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { readSources } from '../health.sql.ts';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

export default defineCheck({
  name: 'sync',
  category: 'brain',
  summary: 'The folders of sources that are kept in files are there.',
  requirement: 'facts/contract K.2',
  capability: 'sync',
  needsBrain: true,
  run: async ({ brain }) => {
    const sources = await readSources(brain.store);
    const bound = sources.filter(({ local_path }) => local_path !== null);
    const details = { sources: sources.length, bound: bound.length };
    if (bound.length === 0) {
      return {
        status: 'ok',
        message: 'no source is bound to a folder',
        details,
        readiness: { state: 'not_applicable', reason: 'no_repo_sources', tier: 'probed' },
      };
    }
    const there = await Promise.all(bound.map(({ local_path }) => isFolder(local_path!)));
    const gone = bound.filter((_, i) => !there[i]);
    if (gone.length === 0) {
      const message = `${counted(bound.length, 'source')} bound to a folder, and it is there`;
      return { status: 'ok', message, details, readiness: { state: 'ok', reason: 'git_sources', tier: 'probed' } };
    }
    const [first] = gone;
    return {
      status: 'warn',
      message: `the folder of source ${gone.map(({ id }) => id).join(', ')} is not there`,
      details: { ...details, missing: gone.map(({ id }) => id) },
      readiness: { state: 'degraded', reason: 'local_path_missing', tier: 'probed' },
      fix: {
        argv: ['ls', '-ld', first!.local_path!],
        actor: 'user',
        why: 'The pages that were read stay; the source is read again when its folder is back in place.',
        userMessage:
          `The folder ${first!.local_path} of source "${first!.id}" is missing. ` +
          'Was it moved, or is its disk not mounted?',
      },
    };
  },
});
