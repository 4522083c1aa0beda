// `brain sessions`: list, show, events and cancel, over the API of a running server.
import type { Event, EventPage } from '@gbrain/brain-protocol/event';
import type { SessionList, SessionSummary, TranscriptView } from '@gbrain/brain-protocol/session';
import { ellipsize, flattenLine } from '@gbrain/wire/text';
import { type ApiClient, createApiClient } from './api-client.ts';
import { type CliContext, CliError, parseArgs, suggestName } from './context.ts';

/** Runs one of the four; anything else says which there are. */
export async function sessions(context: CliContext, argv: string[]): Promise<number> {
  const { flags, rest } = parseArgs(argv, ['json', 'follow']);
  const { url, json, follow, after, ...others } = flags;
  const [unknown] = Object.keys(others);
  if (unknown) throw new CliError('usage', `sessions takes no --${unknown}.`, 'See brain --help.', { exit: 2 });
  const client = createApiClient(context, url);
  const [verb = 'list', id, ...more] = rest;
  if (more.length > 0) throw new CliError('usage', `${verb} takes one session.`, 'See brain --help.', { exit: 2 });
  const print = (value: unknown) => context.stdout(`${JSON.stringify(value, null, 2)}\n`);
  switch (verb) {
    case 'list':
      return listSessions(context, client, json ? print : undefined);
    case 'show':
      return showSession(context, client, needId(id), json ? print : undefined);
    case 'events':
      return showEvents(context, client, needId(id), {
        after: readAfter(after),
        follow: follow !== undefined,
        json: json !== undefined,
      });
    case 'cancel':
      await client.call('POST', `/v1/sessions/${needId(id)}/cancel`);
      context.stdout('cancelled\n');
      return 0;
    default: {
      const hint = suggestName(verb, ['list', 'show', 'events', 'cancel'], 'Use list, show, events or cancel.');
      throw new CliError('usage', `There is no sessions ${verb}.`, hint, { exit: 2 });
    }
  }
}

function needId(id: string | undefined): string {
  if (id) return encodeURIComponent(id);
  throw new CliError('usage', 'Which session?', 'See them with: brain sessions list', { exit: 2 });
}

function readAfter(after: string | undefined): number {
  if (after === undefined) return 0;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw new CliError('usage', '--after must be a whole number.', 'Give the last sequence that you have.', { exit: 2 });
}

type Print = ((value: unknown) => void) | undefined;

async function listSessions(context: CliContext, client: ApiClient, print: Print): Promise<number> {
  const all: SessionSummary[] = [];
  for (let after = ''; ; ) {
    const page = await client.call<SessionList>('GET', `/v1/sessions?limit=1000${after && `&after=${after}`}`);
    all.push(...page.sessions);
    if (!page.next) break;
    after = page.next;
  }
  if (print) print({ sessions: all });
  else if (all.length === 0) context.stdout('no sessions\n');
  else
    for (const one of all) context.stdout(`${one.session_id}  ${one.status.padEnd(8)}  ${one.last_sequence} records\n`);
  return 0;
}

async function showSession(context: CliContext, client: ApiClient, id: string, print: Print): Promise<number> {
  const summary = await client.call<SessionSummary>('GET', `/v1/sessions/${id}`);
  const transcript = await client.call<TranscriptView>('GET', `/v1/sessions/${id}/transcript`);
  const page = await client.call<EventPage>('GET', `/v1/sessions/${id}/events?after=0`);
  const created = page.events.find((event) => event.event_type === 'session_creation_started');
  const { configuration } = (created?.data ?? {}) as { configuration?: unknown };
  if (print) {
    print({ ...summary, configuration, transcript });
    return 0;
  }
  const { agentloop, model } = (configuration ?? {}) as {
    agentloop?: { name: string };
    model?: Record<string, string>;
  };
  context.stdout(`${summary.session_id}  ${summary.status}  ${summary.last_sequence} records\n`);
  context.stdout(`loop ${agentloop?.name ?? '?'}  model ${model?.provider ?? '?'}/${model?.name ?? '?'}\n`);
  for (const { role, content } of transcript.messages) {
    for (const block of content) {
      const text = block.type === 'text' ? block.text : JSON.stringify(block);
      context.stdout(`  ${role.padEnd(9)} ${ellipsize(flattenLine(text), 200)}\n`);
    }
  }
  return 0;
}

interface EventChoice {
  after: number;
  follow: boolean;
  json: boolean;
}

async function showEvents(context: CliContext, client: ApiClient, id: string, choice: EventChoice): Promise<number> {
  const show = (event: Event) => {
    if (choice.json) context.stdout(`${JSON.stringify(event)}\n`);
    else {
      const { sequence, recorded_at_ms, event_type, data } = event;
      const time = new Date(recorded_at_ms).toISOString();
      context.stdout(
        `${String(sequence).padStart(6)} ${time} ${event_type.padEnd(24)} ${ellipsize(JSON.stringify(data), 160)}\n`,
      );
    }
  };
  if (!choice.follow) {
    for (let { after } = choice; ; ) {
      const page = await client.call<EventPage>('GET', `/v1/sessions/${id}/events?after=${after}`);
      for (const event of page.events) show(event);
      if (page.next_cursor === after) return 0;
      after = page.next_cursor;
    }
  }
  const abort = new AbortController();
  context.onSignal(['SIGINT', 'SIGTERM'], () => abort.abort());
  let { after } = choice;
  for (;;) {
    let last = '';
    try {
      for await (const { event, type } of client.stream(id, after, abort.signal)) {
        if (!event) continue;
        show(event);
        after = event.sequence;
        last = type;
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
    const ended = ['session_ended', 'session_creation_failed'].includes(last);
    const gone = await client.call<SessionSummary>('GET', `/v1/sessions/${id}`);
    if (abort.signal.aborted || ended || (gone.status === 'ended' && gone.last_sequence === after)) return 0;
  }
}
