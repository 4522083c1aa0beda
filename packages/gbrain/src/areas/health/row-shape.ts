// Schemas of what the health operations print. Shapes only.
import type { RenderedAction } from '@gbrain/wire/action';
import type { ZodType } from 'zod';
import { READINESS_STATES } from '../../check.ts';
import type { Z } from '../../operation.ts';

/** A rendered fix; its other keys are the contract's. */
export const fixShape = (z: Z) =>
  z.looseObject({ next: z.string(), why: z.string(), actor: z.string() }) as unknown as ZodType<RenderedAction>;

/** A call that clears a row. */
export const remedyShape = (z: Z) =>
  z.object({
    operation: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    effects: z.array(z.enum(['paid', 'destructive', 'credentials', 'egress', 'persistent_install'])),
    est_usd: z.number().optional(),
    est_seconds: z.number(),
  });

/** A way out that rewrites records. */
const repairShape = (z: Z) =>
  z.object({
    kind: z.string(),
    why: z.string(),
    records: z.array(
      z.object({
        id: z.string(),
        source_id: z.string(),
        input: z.record(z.string(), z.unknown()),
        revision: z.string(),
      }),
    ),
  });

/** A row of doctor. */
export const rowShape = (z: Z) =>
  z.object({
    name: z.string(),
    status: z.enum(['ok', 'warn', 'fail']),
    message: z.string(),
    category: z.enum(['brain', 'skill', 'ops', 'meta']),
    severity: z.literal('info').optional(),
    details: z.record(z.string(), z.unknown()).optional(),
    readiness_state: z.enum(READINESS_STATES).optional(),
    readiness_reason: z.string().optional(),
    remediation_status: z.enum(['remediable', 'human_only', 'blocked']).optional(),
    remedy: remedyShape(z).optional(),
    repairs: z.array(repairShape(z)).optional(),
    fix: fixShape(z).optional(),
    fix_unavailable_reason: z.string().optional(),
  });

/** What every slow read says of itself. Source: AGENT_OPERATOR v1, Slow reads. */
export const completenessShape = (z: Z) => ({
  elapsed_ms: z.number(),
  complete: z.boolean(),
  incomplete: z.array(z.object({ field: z.string(), reason: z.enum(['not_read', 'bounded', 'budget']) })).optional(),
});

/** A readiness row. Source: facts/contract K.2. */
export const readinessShape = (z: Z) =>
  z.object({
    capability: z.string(),
    state: z.enum(READINESS_STATES),
    reason: z.string(),
    why: z.string(),
    fix: fixShape(z).optional(),
    tier: z.enum(['config', 'probed']),
    http_visible: z.boolean(),
  });
