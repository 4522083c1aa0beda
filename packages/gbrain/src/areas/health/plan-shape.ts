// Schemas of a remediation plan. Shapes only.
import type { Z } from '../../operation.ts';
import { type PlanAsk, TARGET_SCORE } from './remediation.ts';
import { fixShape } from './row-shape.ts';

/** Repairs that a user may name. Each is an operation that rewrites one record. */
export const REPAIR_KINDS = ['content_take', 'content_rewrite'] as const;

/** What a plan and its run are asked alike. */
export const planAskFields = (z: Z) => ({
  target_score: targetField(z),
  include_repairs: z
    .array(z.enum(REPAIR_KINDS))
    .describe('Repairs that rewrite what somebody wrote, by kind; each asks for its own agreement')
    .optional(),
  embed: z.boolean().describe('--no-embed: leave out what gives pages their vectors').optional(),
});

/** The part of an input that says what a plan is for. */
export type PlanInput = PlanAsk & { target_score?: number | undefined };

/** The score that is meant to be reached. */
const targetField = (z: Z) =>
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
      class: z.enum(['pending', 'consent_required', 'explicit_kind_required', 'operator_required', 'unsupported']),
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
  max_reachable_score: z.number(),
  target_unreachable: z.boolean(),
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
  repair_steps: z.array(
    z.object({
      step: z.number(),
      kind: z.string(),
      command: z.string(),
      paid: z.boolean(),
      est_usd_cost: z.number(),
      affected: z.number(),
      checks: z.array(z.string()),
      records: z.array(
        z.object({
          id: z.string(),
          source_id: z.string(),
          input: z.record(z.string(), z.unknown()),
          revision: z.string(),
        }),
      ),
      fix: fixShape(z),
    }),
  ),
  explicit_repairs: z.array(
    z.object({ kind: z.string(), affected: z.number(), why: z.string(), preview_command: z.string() }),
  ),
  combined_command: z.string().optional(),
  plan_hash: z.string().optional(),
  findings: findingsShape(z),
});
