// Fills a data folder through the real journal with sessions as turns leave them: quicker than a million real records.
import type { Clock } from '@gbrain/brain/clock';
import { openDataDir } from '@gbrain/brain/journal/data-dir';
import type { Journal } from '@gbrain/brain/journal/journal';
import { openSqliteJournal } from '@gbrain/brain/journal/sqlite';
import * as command from '@gbrain/brain/session/command';
import { decideModelEnd, decideModelStart } from '@gbrain/brain/session/decide-model';
import { LiveSession } from '@gbrain/brain/session/live';
import type { Message } from '@gbrain/brain-protocol/message';

/** A clock that stands still: nothing here waits. */
export function createClockless(): Clock {
  return { nowMs: () => 1_700_000_000_000, timer: () => () => {} };
}

/** Appends until there are so many records in so many sessions; gives how many there are. */
export async function fillJournal(
  dataDir: string,
  { sessions, records, clock }: { sessions: number; records: number; clock: Clock },
): Promise<number> {
  const journal = await openSqliteJournal(openDataDir(dataDir));
  const perSession = Math.ceil(records / sessions);
  let made = 0;
  for (let count = 0; count < sessions; count += 1) {
    const id = `ses_${String(count).padStart(24, '0')}`;
    made += fillSession(new LiveSession(id, journal, clock), perSession);
    if (count % 200 === 199) await barrier(journal);
  }
  await barrier(journal);
  await journal.close();
  return made;
}

async function barrier(journal: Journal): Promise<void> {
  await journal.append({ expireRequestsBeforeMs: 0 }, { barrier: true });
}

const text = (role: Message['role'], words: string): Message => ({ role, content: [{ type: 'text', text: words }] });

function fillSession(session: LiveSession, records: number): number {
  const write = (drafts: Parameters<LiveSession['append']>[0]) => session.append(drafts, { barrier: false });
  const configuration = {
    agentloop: { name: 'loop', configuration: {} },
    model: { provider: 'openai', name: 'm' },
    system: '',
    tools: [],
    environments: [],
  };
  write(command.decideCreate(configuration, []));
  write(command.decideCreated(session.state));
  while (session.state.lastSequence < records) {
    const { state } = session;
    write(command.decideTurn(state, { message: 'What is the weather like today?' }));
    write(command.decideActivation(state));
    const asked = [...state.transcript, text('user', 'What is the weather like today?')];
    write(command.decideTranscript(state, asked));
    write(decideModelStart(state, { messages: asked }, { maxModelCalls: 0 }));
    const message = text('assistant', 'Cloudy, with a little rain in the evening, and four degrees.');
    write(decideModelEnd(state, state.lastSequence, { message, stop_reason: 'end_turn', usage: { input_tokens: 20 } }));
    write(command.decideTranscript(state, [...asked, message]));
    write(command.decideSettle(state, { ok: true }, state.lastSequence));
  }
  return session.state.lastSequence;
}
