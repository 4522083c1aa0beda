// run_doctor: every health check of this installation, bounded, with a fix for each thing that is wrong.
import { readCompleteness } from '@gbrain/wire/json-document';
import { defineOperation } from '../../operation.ts';
import { diagnose } from './diagnose.ts';
import { doctorLines } from './doctor-lines.ts';
import { doctorOpensBrain } from './place-checks.ts';
import { probeConsent } from './provider-probe.ts';
import { CATEGORIES, reportOf } from './report.ts';
import { completenessShape, fixShape, rowShape } from './row-shape.ts';

export default defineOperation({
  name: 'run_doctor',
  title: 'Check the health of this brain',
  summary: 'Checks brain, files, settings and agent apps; reads only, and names a fix for whatever is wrong.',
  requirement: 'facts/contract K.1; AGENT_OPERATOR v1, Slow reads',
  scope: 'admin',
  surface: 'full',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  deadlineMs: 100_000,
  input: (z) => ({
    only: z.array(z.string()).min(1).describe('Only these checks, or readiness rows').optional(),
    scope: z.enum(CATEGORIES).describe('Only checks of this category').optional(),
    probe: z
      .boolean()
      .describe('Also try what is only read otherwise: start registered servers; a provider that --only names')
      .optional(),
    migrate: z.boolean().describe('--no-migrate: open the brain as it is, nothing is applied to it').optional(),
  }),
  consent: probeConsent,
  output: (z) =>
    z.object({
      schema_version: z.literal(2),
      status: z.enum(['healthy', 'warnings', 'unhealthy']),
      health_score: z.number(),
      brain_checks_score: z.number(),
      category_scores: z.object({ brain: z.number(), skill: z.number(), ops: z.number(), meta: z.number() }),
      checks: z.array(rowShape(z)),
      top_issues: z.array(
        z.object({
          name: z.string(),
          status: z.enum(['ok', 'warn', 'fail']),
          message: z.string(),
          fix: fixShape(z).optional(),
          fix_unavailable_reason: z.string().optional(),
        }),
      ),
      ...completenessShape(z),
      contract_version: z.literal(1),
    }),
  errors: ['unknown_brain'],
  cli: {
    command: 'doctor',
    group: 'Health',
    isCommon: true,
    slowRead: 'doctor',
    printsJson: true,
    opensBrain: doctorOpensBrain,
    human: doctorLines,
    exit: ({ status }) => (status === 'unhealthy' ? 1 : 0),
  },
  examples: [
    { title: 'Everything', input: {} },
    { title: 'The pages, and nothing of this machine', input: { scope: 'brain' } },
    { title: 'Is an agent app connected, and does its server answer', input: { only: ['harness_wiring'] } },
  ],
  run: async (ctx, input) => {
    const { rows, incomplete, elapsedMs } = await diagnose(ctx, input);
    return { ...reportOf(rows), ...readCompleteness(elapsedMs, incomplete), contract_version: 1 as const };
  },
});
