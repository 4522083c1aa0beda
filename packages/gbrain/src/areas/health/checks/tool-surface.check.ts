// tool_surface: which tools an agent's session lists, and why.
import { defineCheck } from '../../../check.ts';

export default defineCheck({
  name: 'tool_surface',
  category: 'ops',
  summary: 'Which tools a session lists.',
  requirement: 'facts/contract G.1, K.2',
  capability: 'tool_surface',
  isHttpVisible: true,
  needsBrain: false,
  run: async ({ host, caller }) => {
    const isSession = caller.transport === 'stdio' || caller.transport === 'http';
    const setting = await host.setting('mcp_surface');
    const named = host.env.GBRAIN_SURFACE;
    const surface = isSession ? caller.surface : String(setting.value ?? 'full');
    const readiness = { state: 'ok', reason: `surface_${surface}`, tier: 'config' } as const;
    const source = isSession ? caller.surfaceSource : setting.value === undefined ? 'default' : 'config';
    const details = { surface, surface_source: source };
    if (!isSession && named && !['verbs', 'starter', 'full'].includes(named)) {
      return {
        status: 'warn',
        message: `GBRAIN_SURFACE is "${named.slice(0, 40)}", which is no surface and is ignored`,
        details,
        readiness,
        fixUnavailable: 'It comes from the environment: set it to verbs, starter or full where it is set, or unset it.',
      };
    }
    const whose = isSession ? 'this session lists' : 'a server that names none lists';
    return { status: 'ok', message: `${whose} the ${surface} surface (${source})`, details, readiness };
  },
});
