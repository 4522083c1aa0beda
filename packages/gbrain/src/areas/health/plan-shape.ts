// Schemas of a remediation plan. Shapes only.
import type { Z } from '../../operation.ts';
import { TARGET_SCORE } from './remediation.ts';
import { fixShape } from './row-shape.ts';

/** The score that is meant to be reached. */
export const targetField = (z: Z) =>
  z
    .number()
    .int()
    .min(0)
    .max(100)
    .describe(`Score that the brain is meant to reach (default ${TARGET_SCORE})`)
    .optional();

/** Rows that are not fine. */
export const findingsShape = (z: Z) =>
  z.array(
    z.object({
      check_id: z.string(),
      class: z.enum(['pending', 'consent_required', 'operator_required', 'unsupported']),
      message: z.string(),
      command: z.string().optional(),
      instruction: z.string().optional(),
    }),
  );

/** A plan. */
export const planShape = (z: Z) => ({
  schema_version: z.literal(2),
  brain_score_current: z.number(),
  brain_score_target: z.number(),
  plan: z.array(
    z.object({
      step: z.number(),
      id: z.string(),
      job: z.string(),
      params: z.record(z.string(), z.unknown()),
      severity: z.enum(['critical', 'medium']),
      est_seconds: z.number(),
      est_usd_cost: z.number(),
      rationale: z.string(),
      command: z.string(),
      fix: fixShape(z),
    }),
  ),
  est_total_seconds: z.number(),
  est_total_usd_cost: z.number(),
  blocked: z.array(z.object({ check: z.string(), reason: z.string() })),
  combined_command: z.string().optional(),
  findings: findingsShape(z),
});
