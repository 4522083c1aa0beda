// Codes of models and money: a provider that refuses, is down or answers nonsense, a cap that does not reach. Each case
// has the provider on loopback, and a page that waits for its vector.
import { type ProviderAnswer, type ScriptedProvider, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import type { Provocation, Stage } from '../walk.ts';

const MODEL = 'openai:text-embedding-3-small';

interface Case {
  /** What the provider answers until it is mended. */
  answer?: ProviderAnswer;
  model?: string;
  dimensions?: string;
  /** US dollars for a million tokens, so that one page costs something. */
  rate?: string;
}

let provider: ScriptedProvider | undefined;
let answer: ProviderAnswer | undefined;

const mend = async (): Promise<void> => {
  answer = undefined;
};

const given = (one: Case) => async (at: Stage) => {
  answer = one.answer;
  provider = await startScriptedProvider(() => answer);
  const settings = {
    // First of all: the server would embed what was just written as soon as it has a key.
    'embedding.on_write': 'false',
    ...provider.settings,
    embedding_model: one.model ?? MODEL,
    embedding_dimensions: one.dimensions ?? '256',
  };
  for (const [key, value] of Object.entries(settings)) {
    if (/^(openai|voyage|compatible|embedding)/.test(key)) await at.home.cli(['config', 'set', key, value]);
  }
  if (one.rate) await at.home.document(['pricing', 'set', MODEL, '--rate', one.rate]);
  const content = `# Waits\n\nWritten at ${performance.now()}.\n`;
  await (await at.session()).body('put_page', { slug: 'models/waits', content, force: true });
};

async function end({ home }: Stage): Promise<void> {
  await provider?.close();
  for (const key of ['embedding_model', 'embedding_dimensions', 'openai_api_key', 'embedding.on_write'])
    await home.cli(['config', 'unset', key]);
}

const embed = (...flags: string[]): Pick<Provocation, 'cli' | 'end'> => ({
  cli: () => ['embed', '--stale', ...flags],
  end,
});

export const models: readonly Provocation[] = [
  {
    code: 'embedding_configuration',
    state: given({ model: 'voyage:voyage-4', dimensions: '300' }),
    ...embed(),
    next: 'run',
    settles: true,
  },
  {
    code: 'embedding_auth_failed',
    state: given({ answer: { status: 401 } }),
    ...embed('--yes'),
    next: 'tell_user_to_run',
    clear: mend,
    // The same command again, and it costs something: the user is asked.
    leads: 'confirmation_required',
  },
  {
    code: 'embedding_unavailable',
    state: given({ answer: { status: 503 } }),
    ...embed('--yes'),
    next: 'wait',
    clear: mend,
    leads: 'confirmation_required',
  },
  {
    code: 'embedding_failed',
    state: given({ answer: { raw: 'no vectors' } }),
    ...embed('--yes'),
    next: 'run',
  },
  {
    code: 'no_pricing',
    state: given({ model: 'compatible:m' }),
    ...embed('--max-usd', '1', '--yes'),
    inputs: { rate: '0.02' },
    next: 'run',
    settles: true,
  },
  {
    code: 'derived_cap_exhausted',
    state: given({ rate: '10000' }),
    ...embed('--yes'),
    next: 'ask_user',
    settles: true,
  },
  {
    code: 'cost_cap_exceeded',
    state: given({ rate: '10000' }),
    ...embed('--max-usd', '0.01', '--yes'),
    next: 'ask_user',
    settles: true,
  },
];
