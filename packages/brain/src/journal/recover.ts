// What a restart writes for a session that was not at rest: a pure function of its folded state. Nothing is run again.
import { cancelFailure, draft, failure } from '../session/command.ts';
import type { Draft, OpenEffect, SessionState } from '../session/state.ts';

/** The records that bring a session to rest after its server died, in order; none when it is at rest. */
export function decideRecovery(state: SessionState): Draft[] {
  return [...[...state.open.values()].flatMap(endEffect), ...endTurn(state), ...endLife(state)];
}

const LOST = 'The server stopped after this was sent. It may have happened and is not done again.';

/** Every started effect without a terminal record has an unknown outcome, recorded once. */
function endEffect(effect: OpenEffect): Draft[] {
  const { sequence } = effect;
  const unknown = { ...failure('unknown', LOST, { ambiguous: true }), sequence };
  switch (effect.type) {
    case 'model':
      return [draft('model_call_failed', unknown)];
    case 'tool':
      return [draft('tool_call_ended', { sequence, outcome: { status: 'unknown', message: LOST } })];
    case 'tool_cancel':
      return [draft('tool_cancel_failed', unknown)];
    case 'environment': {
      const { environment, operation } = effect;
      return [draft(`environment_${operation}_failed`, { ...unknown, environment })];
    }
  }
}

function endTurn(state: SessionState): Draft[] {
  const { turn } = state;
  if (!turn) return [];
  const stopped = turn.cancel
    ? cancelFailure(turn.cancel)
    : failure('interrupted', 'The server stopped while the turn ran.');
  const failed = draft('turn_failed', stopped);
  return turn.activation ? [draft('activation_failed', stopped), failed] : [failed];
}

function endLife(state: SessionState): Draft[] {
  if (state.status === 'creating') {
    return [draft('session_creation_failed', failure('interrupted', 'The server stopped while the session was made.'))];
  }
  return state.status === 'ending' ? [draft('session_ended', {})] : [];
}
