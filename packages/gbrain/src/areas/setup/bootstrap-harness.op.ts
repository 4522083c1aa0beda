// bootstrap harness: registers this gbrain with agent apps, shows what changes in their files, and takes it back again.
import type { ConsentRequest } from '@gbrain/wire/envelope';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { toAction } from '../../fix.ts';
import { defineOperation } from '../../operation.ts';
import { secretDetector } from '../secrets/detector.ts';
import { APP_IDS } from './wire/apps.ts';
import { applyStep, planWiring, stepDiff, type WireAsk, type WirePart, type WireStep } from './wire/wire-plan.ts';

interface Input {
  harness: (typeof APP_IDS)[number] | 'all';
  surface: 'verbs' | 'starter' | 'full';
  remove?: boolean | undefined;
  dry_run?: boolean | undefined;
}

const askOf = ({ harness, surface, remove }: Input): WireAsk => ({
  app: harness,
  surface,
  isRemoval: remove ?? false,
});

const DONE: Readonly<Record<WireStep['action'], string>> = {
  add: 'added',
  update: 'updated',
  remove: 'removed',
  restore: 'restored',
  none: 'unchanged',
};

/** How a part is told to a person. */
const PARTS: Readonly<Record<WirePart, string>> = {
  server: '',
  stop_hook: ', Stop hook',
  instructions: ', instructions',
};

/** Changes of other programs' settings want the user's word. */
async function consentFor(ctx: Context, input: Input): Promise<ConsentRequest | undefined> {
  if (input.dry_run) return undefined;
  const changes = (await planWiring(ctx.host, askOf(input))).filter(({ action }) => action !== 'none');
  if (changes.length === 0) return undefined;
  const names = [...new Set(changes.map(({ app }) => app.name))].join(', ');
  const hasHook = changes.some(({ part }) => part === 'stop_hook');
  const files = changes.map(({ file }) => file).join(', ');
  const { registry } = ctx.host;
  const operation = registry.operation('bootstrap_harness')!;
  const preview = callArgv(operation, { ...input, dry_run: true });
  const approve = toAction(registry, {
    call: { op: 'bootstrap_harness', input: { ...input } },
    argvTail: ['--yes'],
    consent: ['persistent_install'],
    actor: 'user',
    why: input.remove ? `It takes gbrain out of ${names}.` : `It registers gbrain with ${names}.`,
  })!;
  return {
    effects: ['persistent_install'],
    actor: 'user',
    what: input.remove ? `Taking gbrain out of ${names}` : `Registering gbrain with ${names}`,
    why: `It changes what is its own in ${files}; everything else in there stays.`,
    risk:
      'The app starts gbrain with each session from then on' +
      (hasHook && !input.remove ? ', and runs it after each answer, to keep what you say for its facts' : '') +
      '. --remove puts back what stood there before.',
    est_usd: null,
    user_message: input.remove
      ? `May I take gbrain out of ${names}?`
      : `May I connect ${names} to your gbrain memory? It takes effect at the next start, and can be undone.`,
    approve,
    preview_argv: [...preview.slice(0, 3), '--json', ...preview.slice(3)],
  };
}

export default defineOperation({
  name: 'bootstrap_harness',
  title: 'Connect agent apps',
  summary: 'Registers this gbrain as a tool server of agent apps, or takes it out again; it shows what changes.',
  requirement: 'AGENT_OPERATOR v1, First run; facts/engine, bootstrap; facts/contract A.4',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  localOnly: true,
  input: (z) => ({
    harness: z.enum([...APP_IDS, 'all']).describe('The app, or all that are on this machine'),
    surface: z.enum(['verbs', 'starter', 'full']).describe('Tools that the app sees').default('starter'),
    remove: z.boolean().describe('Take gbrain out, and put back what stood there before').optional(),
    dry_run: z.boolean().describe('Only show what would change').optional(),
  }),
  consent: (ctx, input) => consentFor(ctx, input),
  output: (z) =>
    z.object({
      dry_run: z.boolean(),
      apps: z.array(
        z.object({
          app: z.string(),
          name: z.string(),
          /** Its entry of a tool server, its command at the end of an answer, or lines in the user's instructions. */
          part: z.enum(['server', 'stop_hook', 'instructions']),
          file: z.string(),
          action: z.enum(['added', 'updated', 'removed', 'restored', 'unchanged']),
          diff: z.string(),
          truncated: z.literal(true).optional(),
          restart: z.string(),
        }),
      ),
    }),
  errors: ['harness_file_refused', 'storage_error', 'config_error'],
  cli: {
    command: 'bootstrap harness',
    group: 'Setup',
    isCommon: true,
    human: ({ apps, dry_run }, view) =>
      apps.length === 0
        ? 'No agent app was found on this machine. Name one with --harness to write its file.'
        : apps
            .flatMap(({ name, part, file, action, diff, restart }) => [
              [
                view.bold(`${name}${PARTS[part]}`),
                dry_run && action !== 'unchanged' ? `would be ${action}` : action,
                view.dim(file),
              ].join('  '),
              ...(diff === ''
                ? []
                : diff
                    .trimEnd()
                    .split('\n')
                    .map((line) => paint(line, view))),
              ...(action === 'unchanged' || dry_run ? [] : [restart]),
            ])
            .join('\n'),
  },
  examples: [
    { title: 'Look first', input: { harness: 'all', dry_run: true } },
    { title: 'Connect Claude Code', input: { harness: 'claude-code' } },
    { title: 'Take it back', input: { harness: 'claude-code', remove: true } },
  ],
  run: async (ctx, input) => {
    const ask = askOf(input);
    const steps = await planWiring(ctx.host, ask);
    if (!input.dry_run) for (const step of steps) await applyStep(ctx.host, step, ask.isRemoval);
    const secrets = await secretDetector();
    return {
      dry_run: input.dry_run ?? false,
      apps: steps.map((step) => {
        const { diff, truncated } = stepDiff(step, secrets);
        return {
          app: step.app.id,
          name: step.app.name,
          part: step.part,
          file: step.file,
          action: DONE[step.action] as 'added',
          diff,
          ...(truncated && { truncated: true as const }),
          restart: step.app.restart,
        };
      }),
    };
  },
});

const paint = (
  line: string,
  view: { green(text: string): string; red(text: string): string; dim(text: string): string },
) => (line.startsWith('+') ? view.green(line) : line.startsWith('-') ? view.red(line) : view.dim(line));
