// completion: the script by which a shell completes gbrain's commands, flags and words.
import { defineOperation } from '../../operation.ts';
import { allChecks } from '../health/diagnose.ts';
import { bashScript } from './completion-bash.ts';
import { fishScript } from './completion-fish.ts';
import { completionModel } from './completion-model.ts';
import { zshScript } from './completion-zsh.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** What makes the script part of every new shell. */
const INSTALL = {
  bash: 'gbrain completion bash > ~/.local/share/bash-completion/completions/gbrain',
  zsh: 'gbrain completion zsh > ~/.zfunc/_gbrain, with ~/.zfunc in fpath',
  fish: 'gbrain completion fish > ~/.config/fish/completions/gbrain.fish',
};

export default defineOperation({
  name: 'completion',
  title: 'Shell completion',
  summary: 'Prints the script by which bash, zsh or fish completes commands, flags and their words.',
  requirement: 'style: help with examples, did-you-mean',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ shell: z.enum(SHELLS).describe('Shell that you use') }),
  output: (z) => z.object({ shell: z.enum(SHELLS), script: z.string(), install: z.string() }),
  errors: [],
  cli: {
    command: 'completion',
    group: 'Setup',
    positionals: ['shell'],
    plainPositionals: true,
    human: ({ script }) => script,
  },
  examples: [
    { title: 'For bash', input: { shell: 'bash' } },
    { title: 'For zsh', input: { shell: 'zsh' } },
    { title: 'For fish', input: { shell: 'fish' } },
  ],
  run: async ({ host }, { shell }) => {
    const checks = await allChecks();
    const names = checks.flatMap(({ name, capability }) => (capability ? [name, capability] : [name]));
    const model = completionModel(host.registry, [...new Set(names)].sort());
    return { shell, script: SCRIPTS[shell](model), install: INSTALL[shell] };
  },
});
