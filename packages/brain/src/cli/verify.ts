// `brain verify`: checks a data folder without changing it. Exit 0 is clean, 1 is damaged.
import { resolve } from 'node:path';
import { dataPaths } from '../journal/data-dir.ts';
import { createSealer, findMasterKey } from '../journal/seal.ts';
import { type VerifyReport, verifyDataDir } from '../journal/verify.ts';
import { type CliContext, CliError, parseArgs } from './context.ts';

/** Prints the report, as JSON with `--json`. */
export async function verify(context: CliContext, argv: string[]): Promise<number> {
  const { flags, rest } = parseArgs(argv, ['json']);
  const { 'data-dir': folder = context.env.BRAIN_DATA_DIR ?? 'brain-data', json, ...others } = flags;
  const [unknown] = [...rest, ...Object.keys(others).map((name) => `--${name}`)];
  if (unknown) throw new CliError('usage', `verify takes no ${unknown}.`, 'See brain --help.', { exit: 2 });
  const paths = dataPaths(resolve(folder));
  const key = findMasterKey(paths, context.env.BRAIN_MASTER_KEY);
  const sealer = key && createSealer(key);
  const report = verifyDataDir(paths, sealer?.unseal.bind(sealer));
  if (json) context.stdout(`${JSON.stringify(report, null, 2)}\n`);
  else {
    const { sessions, records, sealed_values: sealed } = report;
    const keyed = key ? '' : ' (no master key at hand: not opened)';
    context.stdout(`${report.data_dir}: ${sessions} sessions, ${records} records, ${sealed} sealed values${keyed}\n`);
    for (const finding of report.findings) {
      const place = [finding.session_id, finding.sequence].filter((part) => part !== undefined).join(' record ');
      context.stdout(`  ${finding.code}${place ? ` ${place}` : ''}: ${finding.message}\n`);
    }
    context.stdout(`${toVerdict(report)}\n`);
  }
  return report.ok ? 0 : 1;
}

function toVerdict({ ok, findings }: VerifyReport): string {
  if (ok) return 'clean';
  const isOther = findings.some(({ code }) => code === 'data_dir_format');
  return isOther
    ? "not checked: name a server's folder with --data-dir"
    : 'damaged: restore the newest copy of the folder';
}
