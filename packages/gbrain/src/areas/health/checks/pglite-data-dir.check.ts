// pglite_data_dir: the embedded brain's folder is there, of a version that this engine opens, and not under repair.
import { access, constants } from 'node:fs/promises';
import { defineCheck } from '../../../check.ts';
import { raise } from '../../../failure.ts';
import { locateBrain } from '../../../home/locate.ts';
import { checkFolder } from '../../../store/data-folder.ts';
import { StoreError } from '../../../store/store.ts';

const canWrite = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

/** The folder's record; an engine's refusal of it is told as the brain's own code. */
function recordOf(dataDir: string): ReturnType<typeof checkFolder> {
  try {
    return checkFolder(dataDir);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    raise('brain_unopenable', { path: dataDir, reason: error.fault, why: `${error.message}.` }, error);
  }
}

export default defineCheck({
  name: 'pglite_data_dir',
  category: 'ops',
  summary: 'The folder of the embedded brain is there, whole as far as its records tell, and of a version that opens.',
  requirement: 'facts/contract K.4; facts/user-faults P10',
  needsBrain: false,
  run: async ({ host }) => {
    const located = await locateBrain(host);
    switch (located.kind) {
      case 'postgres':
        return { status: 'ok', message: 'this brain is on a server, not in a folder' };
      case 'none':
        return { status: 'ok', message: 'no brain has been made here yet' };
      case 'missing':
        return raise('no_brain', { home: host.home.root, path: located.dataDir, reason: 'missing_brain' });
      case 'repair_failed':
        return raise('recovery_required', { path: located.dataDir, record: located.record, reason: 'repair_failed' });
      case 'pglite': {
        const { dataDir } = located;
        if (!(await canWrite(dataDir))) {
          const why = `${dataDir} is not writable by this user`;
          return raise('storage_error', { operation: 'opening the brain', reason: 'read_only', why });
        }
        const { postgres_major, format } = recordOf(dataDir);
        const message = `format ${format} of Postgres ${postgres_major}, as this engine writes it`;
        return { status: 'ok', message, details: { path: dataDir, postgres_major, format } };
      }
    }
  },
});
