// Codes of putting a brain in order. Source: facts/contract A.3, K.3.
import { defineErrors } from '../../failure.ts';

export default defineErrors({
  plan_stale: {
    class: 'caller',
    exit: 2,
    summary: 'A run that stopped cannot be gone on with: something else is left to do by now.',
    message: 'What is left to do is not what that run left. Nothing was changed.',
    suggestion: 'Look at the plan as it is now, and ask the user again.',
    fix: () => ({
      call: { op: 'get_remediation_plan', input: {} },
      why: 'It shows what there is to do now, with the cost of each step; it changes nothing.',
    }),
    example: { given: 'ph_000000000000000000000000', now: 'ph_111111111111111111111111' },
  },
});
