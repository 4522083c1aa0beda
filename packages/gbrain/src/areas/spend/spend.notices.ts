// Notices of spend. Source: AGENT_OPERATOR v1, Caps.
import { defineNotices } from '../../notices.ts';
import { text } from '../../row-text.ts';

export default defineNotices({
  spend_unpriced: {
    kind: 'info',
    summary: 'A model without a known price ran; its calls are counted, their cost is not.',
    why: (d) =>
      `BUDGET_TRACKER_NO_PRICING: ${text(d, 'model')} has no known price, so it ran unmetered. ` +
      'With gbrain pricing set the cap holds for it.',
    fix: (d) => ({
      call: { op: 'pricing_list', input: { model: text(d, 'model') } },
      why: 'It shows the price that holds for the model, which is none until one is registered.',
    }),
    example: { model: 'compatible:my-model' },
  },
});
