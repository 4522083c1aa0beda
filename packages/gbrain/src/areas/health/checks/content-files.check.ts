// content_files: the files of the content directory are as their pages say. One that was edited by hand is held, and
// the user says which of the two counts.
import { join } from 'node:path';
import { defineCheck, type Repair, type RepairRecord } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { contentRoot } from '../../content/project.ts';
import { type HeldRow, readHeldFiles } from '../../content/unwritten-files.ts';
import { lookAt } from '../../content/write-file.ts';

/** The page and the bytes beside it: a plan that was agreed to is of these and no others. */
async function toRecord(file: HeldRow, root: string): Promise<RepairRecord> {
  const standing = await lookAt(join(root, file.path));
  const bytes = standing.kind === 'file' ? standing.hash : standing.kind;
  const { slug, sourceId, revision } = file;
  return { id: slug, sourceId, input: { slug }, revision: `${revision}:${bytes}` };
}

function repairsOf(files: readonly HeldRow[], records: readonly RepairRecord[]): Repair[] {
  const held = records.filter((_, i) => files[i]!.state === 'held');
  const take: Repair = {
    kind: 'content_take',
    why: 'What was written in the file becomes the text of its page; the page keeps a version of what it said.',
    records: held,
  };
  const rewrite: Repair = {
    kind: 'content_rewrite',
    why: 'The file is written from its page again; what was written in it is put aside beside it.',
    records,
  };
  return held.length > 0 ? [take, rewrite] : [rewrite];
}

export default defineCheck({
  name: 'content_files',
  category: 'brain',
  summary: 'The files of the content directory are as their pages say; one that was edited by hand is held.',
  requirement: 'facts/contract J.1, K.3; facts/user-faults P14',
  needsBrain: true,
  run: async ({ brain, host, caller }) => {
    const files = await readHeldFiles(brain.store, caller.owner);
    if (files.length === 0) return { status: 'ok', message: 'no file was edited beside its page' };
    const of = (state: HeldRow['state']) => files.filter((file) => file.state === state).length;
    const said = [
      of('held') > 0 ? `${counted(of('held'), 'file')} edited by hand and held` : '',
      of('failed') > 0 ? `${counted(of('failed'), 'file')} that could not be written` : '',
    ].filter(Boolean);
    const rootOf = ({ sourceId }: HeldRow) => contentRoot(host.home.root, brain.brainId, sourceId);
    const records = await Promise.all(files.map((file) => toRecord(file, rootOf(file))));
    const [first] = files;
    return {
      status: 'warn',
      message: said.join('; '),
      details: { held: of('held'), failed: of('failed'), slugs: files.slice(0, 20).map(({ slug }) => slug) },
      repairs: repairsOf(files, records),
      fix: {
        call: { op: 'content_status', input: {} },
        argvTail: first!.sourceId === 'default' ? [] : ['--source', first!.sourceId],
        why: 'It lists these files, with the two ways out: to keep what the file says, or what its page says.',
      },
    };
  },
});
