// Notices that the pipeline raises on any call. Source: facts/contract C.3.
import { defineNotices } from '../../notices.ts';
import { text } from '../../row-text.ts';

export default defineNotices({
  unknown_param: {
    kind: 'info',
    perCall: true,
    summary: 'An argument that the tool does not declare was left out.',
    why: (d) => {
      const meant = d.suggestion ? ` Did you mean \`${text(d, 'suggestion')}\`?` : '';
      return `\`${text(d, 'param')}\` is not an argument of this tool and was left out.${meant}`;
    },
    example: { param: 'souce', suggestion: 'source_id' },
  },
  param_clamped: {
    kind: 'info',
    perCall: true,
    summary: 'A number outside its documented bounds was brought back to the bound.',
    why: (d) => `\`${text(d, 'param')}\` was ${text(d, 'from')}; ${text(d, 'to')} is the bound and was used.`,
    example: { param: 'limit', from: 1000, to: 100 },
  },
  surface_env_invalid: {
    kind: 'info',
    summary: 'GBRAIN_SURFACE names no surface and was ignored.',
    why: (d) => `GBRAIN_SURFACE is "${text(d, 'value')}"; it takes verbs, starter or full, so it was ignored.`,
    example: { value: 'all' },
  },
});
