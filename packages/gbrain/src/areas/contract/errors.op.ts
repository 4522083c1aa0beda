// errors: one row of the error registry, the whole list, or the codes whose old spelling differs; works offline.
import { closest } from '@gbrain/wire/did-you-mean';
import type { ErrorRow } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';

const rowOf = (code: string, row: ErrorRow) => ({
  code,
  class: row.class,
  summary: row.summary,
  exit: row.exit ?? 1,
  retryable: typeof row.retryable === 'function' ? false : (row.retryable ?? row.class === 'retryable'),
  reasons: [...(row.reasons ?? [])],
  ...(row.legacyError && { legacy_error: row.legacyError }),
});

export default defineOperation({
  name: 'errors',
  title: 'Error codes',
  summary: 'Explains an error code: class, exit status, reasons and whether a retry is safe.',
  requirement: 'AGENT_OPERATOR v1, The error envelope (docs_cmd)',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    code: z.string().describe('Error code; every code when left out').optional(),
    changed: z.boolean().describe('Only codes whose value in `error` differs').optional(),
  }),
  output: (z) =>
    z.object({
      errors: z.array(
        z.object({
          code: z.string(),
          class: z.string(),
          summary: z.string(),
          exit: z.number(),
          retryable: z.boolean(),
          reasons: z.array(z.string()),
          legacy_error: z.string().optional(),
        }),
      ),
    }),
  errors: [],
  cli: {
    command: 'errors',
    group: 'Contract',
    isCommon: true,
    positionals: ['code'],
    plainPositionals: true,
    human: ({ errors }) => {
      const isChanged = errors.length > 0 && errors.every((one) => one.legacy_error !== undefined);
      if (errors.length !== 1) {
        const rows = errors.map((one): [string, string] =>
          isChanged ? [`error ${one.legacy_error}`, `code ${one.code}: ${one.summary}`] : [one.code, one.summary],
        );
        return twoColumns(rows, '').join('\n');
      }
      const one = errors[0]!;
      const rows: [string, string][] = [
        ['class', one.class],
        ['exit', String(one.exit)],
        ['retryable', one.retryable ? 'yes, with the same request' : 'no'],
        ...(one.reasons.length > 0 ? ([['reasons', one.reasons.join(', ')]] as [string, string][]) : []),
        ...(one.legacy_error ? ([['error', one.legacy_error]] as [string, string][]) : []),
      ];
      return [`${one.code}: ${one.summary}`, ...twoColumns(rows)].join('\n');
    },
  },
  examples: [
    { title: 'One code', input: { code: 'invalid_params' } },
    { title: 'Codes with a frozen old value', input: { changed: true } },
  ],
  run: async (ctx, { code, changed }) => {
    const all = [...ctx.host.registry.errors].map(([name, row]) => rowOf(name, row));
    if (changed) return { errors: all.filter((one) => one.legacy_error !== undefined) };
    if (code === undefined) return { errors: all };
    const found = all.filter((one) => one.code === code);
    if (found.length > 0) return { errors: found };
    const codes = all.map((one) => one.code);
    const near = closest(code, codes) ?? 'invalid_params';
    return ctx.fail('invalid_params', {
      param: 'code',
      problem: 'choice',
      given: code.slice(0, 60),
      choices: [near],
      corrected: { code: near },
    });
  },
});
