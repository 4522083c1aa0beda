// What gbrain_status says: why a server has no brain, who can clear it, and the choices that the user has. Pure.
// Source: AGENT_OPERATOR v1, transcript 6; facts/contract G.9; decisions 21.
import type { Action, Connection, RenderedAction } from '@gbrain/wire/action';
import type { Decision } from '@gbrain/wire/notice';
import { renderAction } from '@gbrain/wire/render-action';
import { type FixSpec, toAction } from '../fix.ts';
import type { Registry } from '../registry.ts';

/** What is known of a server without a brain. */
export interface DownFacts {
  reason: string;
  brainPath: string;
  configPath: string;
  owner?: { pid: number; transport: string; serve: boolean };
}

/** What gbrain_status answers. Key order is the order of this interface. */
export interface StatusPayload {
  status: 'unavailable' | 'recovered';
  reason?: string;
  why: string;
  brain_path?: string;
  config_path?: string;
  lock_owner?: { pid: string; transport: string; serve: boolean };
  fix?: RenderedAction;
  user_message?: string;
  decisions?: Decision[];
  checked_at: string;
  contract_version: 1;
  surface: string;
  surface_source: string;
}

interface Text {
  why: string;
  userMessage: string;
  fix: FixSpec;
  decisions?: Decision[];
}

const AGAIN = { op: 'gbrain_status', input: {} };

function holder(owner: DownFacts['owner']): string {
  const what = owner?.serve === false ? 'a gbrain command' : 'another `gbrain serve`';
  return owner ? `${what} (PID ${owner.pid})` : what;
}

function lockHeld({ brainPath, owner }: DownFacts): Text {
  const who = holder(owner);
  return {
    why: `The brain at ${brainPath} is open in ${who}, usually of another session, so this server cannot open it.`,
    userMessage:
      `Your memory is already open in ${who}, so this session cannot use it. Close that session and I reconnect, ` +
      'or I can let this session share it. Which do you prefer?',
    fix: {
      call: AGAIN,
      only: 'mcp',
      actor: 'user',
      why:
        'Once the other session is closed, call gbrain_status again: ' +
        'it opens the brain in place (at most every 5 s).',
    },
    decisions: [
      {
        id: 'lock_recovery',
        question: 'Two agent sessions want the same brain. Close the other one, or share it?',
        options: [
          { id: 'close_owner', label: `Close ${who}; the next gbrain_status call opens the brain here.` },
          {
            id: 'share_local',
            label: 'Share it: this session forwards its calls to the one that has the brain open.',
            argv: ['gbrain', 'config', 'set', 'serve.share_local', 'true'],
          },
        ],
        default: 'close_owner',
        default_reason: 'Nothing is set up differently; the brain comes back when the other session ends.',
      },
    ],
  };
}

function noBrain({ brainPath }: DownFacts): Text {
  return {
    why: `There is no brain at ${brainPath} yet.`,
    userMessage: 'gbrain has no memory on this machine yet. May I make one? It stays on this machine and needs no key.',
    fix: {
      call: { op: 'init', input: { pglite: true, embedding: false } },
      consent: ['persistent_install'],
      why: 'It makes an empty brain in the home folder; this server opens it at the next call.',
      verify: { ...AGAIN, only: 'mcp' },
    },
  };
}

function missingBrain(facts: DownFacts): Text {
  const { why, userMessage, fix } = noBrain(facts);
  return {
    why: `The brain's folder ${facts.brainPath} is gone.`,
    userMessage: [
      `gbrain's data folder is missing from ${facts.brainPath}.`,
      'Was it moved, or shall I start an empty one?',
    ].join(' '),
    fix: { ...fix, why: `${why} A new brain there would be empty.`, userMessage, userDecision: true },
    decisions: [
      {
        id: 'missing_brain_recovery',
        question: 'The memory of this machine is not where it was. Bring it back, or start a new one?',
        options: [
          { id: 'reconnect', label: `Move the folder back to ${facts.brainPath}, or plug its disk in.` },
          {
            id: 'new_brain',
            label: 'Start a new, empty brain.',
            argv: ['gbrain', 'init', '--pglite', '--no-embedding'],
          },
        ],
        default: 'reconnect',
        default_reason: 'What was remembered is in that folder.',
      },
    ],
  };
}

const byReason: Record<string, (facts: DownFacts) => Text> = {
  lock_held: lockHeld,
  no_brain: noBrain,
  missing_brain: missingBrain,
  config_unreadable: ({ configPath }) => ({
    why: `The configuration file ${configPath} cannot be read.`,
    userMessage: `gbrain's configuration file ${configPath} is damaged. Please open and correct it; I then try again.`,
    fix: { argv: ['cat', configPath], actor: 'user', why: 'It shows the file, so that it can be corrected.' },
  }),
  repair_failed: ({ brainPath }) => ({
    why: `An automatic repair of the brain at ${brainPath} failed, so nothing opens it.`,
    userMessage: [
      `An automatic repair of gbrain's data at ${brainPath} failed; nothing changed since.`,
      'How should I go on?',
    ].join(' '),
    fix: {
      argv: ['cat', `${brainPath}.repair-failed.json`],
      consent: ['destructive'],
      actor: 'user',
      why: 'The record beside the brain says what was tried. Do not copy, move or change the files yourself.',
    },
  }),
  brain_unopenable: ({ brainPath }) => ({
    why: `The engine refused to open the brain at ${brainPath}; nothing was changed.`,
    userMessage: `gbrain's data at ${brainPath} could not be opened. Please look at its log, then ask me to try again.`,
    fix: { call: AGAIN, only: 'mcp', actor: 'user', why: 'It tries again, at most every 5 s.' },
  }),
};

/** The payload of a server without a brain. */
export function statusPayload(
  registry: Registry,
  connection: Connection,
  facts: DownFacts,
  at: { checkedAt: Date; surface: string; surfaceSource: string },
): StatusPayload {
  const text = (byReason[facts.reason] ?? byReason.brain_unopenable!)(facts);
  const action = toAction(registry, { userMessage: text.userMessage, ...text.fix }) as Action;
  return {
    status: 'unavailable',
    reason: facts.reason,
    why: text.why,
    brain_path: facts.brainPath,
    config_path: facts.configPath,
    ...(facts.owner && { lock_owner: { ...facts.owner, pid: String(facts.owner.pid) } }),
    fix: renderAction(action, connection),
    user_message: text.userMessage,
    ...(text.decisions && { decisions: text.decisions }),
    checked_at: at.checkedAt.toISOString(),
    contract_version: 1,
    surface: at.surface,
    surface_source: at.surfaceSource,
  };
}
