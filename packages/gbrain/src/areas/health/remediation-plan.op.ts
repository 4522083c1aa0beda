// get_remediation_plan (`gbrain doctor --remediation-plan`): what doctor would do about what it found. It only reads.
import { readCompleteness } from '@gbrain/wire/json-document';
import { defineOperation } from '../../operation.ts';
import { planAskFields, planShape } from './plan-shape.ts';
import { planLines, readPlan } from './read-plan.ts';
import { completenessShape } from './row-shape.ts';

export default defineOperation({
  name: 'get_remediation_plan',
  title: 'What doctor would repair',
  summary: 'Plans what doctor can put in order by itself, with time and cost of each step; nothing runs.',
  requirement: 'facts/contract K.3; AGENT_OPERATOR v1, What is paid, and what is not',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  localOnly: true,
  deadlineMs: 100_000,
  input: planAskFields,
  output: (z) => z.object({ ...planShape(z), ...completenessShape(z), contract_version: z.literal(1) }),
  errors: ['unknown_brain'],
  cli: {
    command: 'doctor --remediation-plan',
    group: 'Health',
    slowRead: 'doctor',
    printsJson: true,
    opensBrain: () => true,
    human: planLines,
  },
  examples: [
    { title: 'Look first', input: {} },
    { title: 'With the files that were edited by hand', input: { include_repairs: ['content_take'] } },
  ],
  run: async (ctx, input) => {
    const { plan, incomplete, elapsedMs } = await readPlan(ctx, input);
    return { ...plan, ...readCompleteness(elapsedMs, incomplete), contract_version: 1 as const };
  },
});
