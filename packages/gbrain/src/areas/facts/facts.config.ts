// Settings of the memory. Source: mcp-access (fact rows); facts/engine J.
import { defineSettings } from '../../settings.ts';

export default defineSettings({
  'search.query_facts_arm': {
    type: 'boolean',
    default: true,
    summary: 'Whether query gives saved facts in the slots that its pages leave free.',
    requirement: 'mcp-access, fact rows',
  },
  'facts.trajectory_regression_threshold': {
    type: 'number',
    min: 0.01,
    max: 1,
    default: 0.1,
    env: 'GBRAIN_TRAJECTORY_REGRESSION_THRESHOLD',
    summary: 'Share by which a number must fall for find_trajectory to call it a regression.',
    requirement: 'facts/engine F.4',
  },
});
