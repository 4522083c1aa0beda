// The text of `brain --help`, made from the tables of settings.
import { NUMBER_SETTINGS, TEXT_SETTINGS, toFlag } from '../settings.ts';

/** Every command and every setting, for a terminal. */
export function helpText(): string {
  const texts = Object.values(TEXT_SETTINGS).map(({ env, about }) => row(env, about));
  const numbers = Object.values(NUMBER_SETTINGS).map(({ env, about, default: value }) =>
    row(env, `${about} (${value})`),
  );
  return `brain: durable sessions for agent loops

  brain [serve] [settings]            start the server
  brain verify --data-dir DIR         check a data folder; may run beside a live server  [--json]
  brain sessions list                 sessions of a server                               [--json]
  brain sessions show SESSION         one session
  brain sessions events SESSION       its events                                         [--after N] [--follow]
  brain sessions cancel SESSION       stop its turn
  brain chat [SESSION]                talk in the terminal          [--provider P] [--model M] [--system TEXT]
  brain --version                     the version

Examples
  brain serve --listen 127.0.0.1:8787 --data-dir ~/brain-data
  brain serve --agentloops '{"mine":{"command":"./my-harness","workers":2}}'
  OPENAI_API_KEY=... brain chat --model gpt-5 --system "Answer in one sentence."
  brain sessions events ses_... --follow --json

sessions and chat speak to --url (BRAIN_URL, http://127.0.0.1:8080) with BRAIN_API_TOKEN.
Every setting is a flag, or the variable beside it; the flag wins.

${[...texts, ...numbers].join('\n')}
`;
}

function row(env: string, about: string): string {
  return `  ${toFlag(env).padEnd(38)} ${env.padEnd(40)} ${about}`;
}
