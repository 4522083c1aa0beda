// From a path to the sets in it: says by its layout which test set it is. A path that holds none is refused by a code.
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FailData, Raised, raise } from '../../failure.ts';
import { nearestFolder } from '../ingest/nearest-folder.ts';
import { beamChats, readBeam } from './beam.ts';
import { atPageGrain, type Dataset, DatasetFault, type Question, readText } from './dataset.ts';
import { isLocomo, readLocomo } from './locomo.ts';
import { isLongMemEval, readLongMemEval } from './longmemeval.ts';
import { readLiteral } from './python-literal.ts';
import { readQrels, readQuestions } from './qrels.ts';

/** What a path holds: sets with their own texts, or questions to ask of the open brain. */
export type OpenedDataset =
  | { readonly kind: 'sets'; readonly sets: readonly Dataset[] }
  | { readonly kind: 'brain'; readonly name: string; readonly questions: readonly Question[] };

function refuse(path: string, why: FailData, error?: unknown): never {
  raise('eval_dataset', { path, above: nearestFolder(path), ...why }, error);
}

/** Opens a path; raises `eval_dataset` where it cannot be read or holds no set that is known. */
export function openDataset(path: string): OpenedDataset {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    refuse(path, { reason: code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'no_permission' });
  }
  try {
    const opened = isFolder ? openFolder(path) : openFile(path);
    if (opened && countQuestions(opened) > 0) return opened;
    if (opened) refuse(path, { reason: 'no_questions' });
  } catch (error) {
    if (error instanceof Raised) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') refuse(path, { reason: 'no_permission' });
    refuse(path, { reason: 'malformed', ...placeOf(error) }, error);
  }
  refuse(path, { reason: 'unknown_layout' });
}

/** Where a text does not fit, never the text itself. */
function placeOf(error: unknown): FailData {
  if (error instanceof DatasetFault) {
    const { place, line } = error;
    return { place, ...(line && { file: line.file, line: line.number }) };
  }
  const place = error instanceof SyntaxError ? /(?:position|character|line) \d+/.exec(error.message)?.[0] : undefined;
  return place === undefined ? {} : { place };
}

const countQuestions = (opened: OpenedDataset): number =>
  opened.kind === 'brain'
    ? opened.questions.length
    : opened.sets.reduce((sum, { groups }) => sum + groups.reduce((all, one) => all + one.questions.length, 0), 0);

function openFile(path: string): OpenedDataset | undefined {
  const value = readLiteral(readText(path));
  if (isLocomo(value)) {
    const turns = readLocomo(value);
    return { kind: 'sets', sets: [atPageGrain(turns, 'LoCoMo sessions'), turns] };
  }
  if (isLongMemEval(value))
    return { kind: 'sets', sets: [atPageGrain(readLongMemEval(value), 'LongMemEval sessions')] };
  return undefined;
}

function openFolder(path: string): OpenedDataset | undefined {
  if (existsSync(join(path, 'queries.jsonl'))) {
    const name = basename(path);
    if (existsSync(join(path, 'corpus.jsonl'))) return { kind: 'sets', sets: [readQrels(path, name)] };
    return { kind: 'brain', name, questions: readQuestions(path) };
  }
  return beamChats(path).length > 0 ? { kind: 'sets', sets: [readBeam(path)] } : undefined;
}
