// Codes that the pipeline and the front doors raise, whatever the operation. Source: facts/contract A.3.

import { type CodeRow, SHARED_CODES, type SharedCode } from '@gbrain/wire/codes';
import { defineErrors, type FailData, type FailPoint } from '../../failure.ts';
import type { FixSpec } from '../../fix.ts';
import type { BadParam } from '../../pipeline/parse.ts';
import { text } from '../../row-text.ts';

/** The nearest name as the end of a sentence; a person at a terminal sees the message and not the suggestion. */
const meant = (data: FailData, quote = ''): string =>
  data.closest ? `; did you mean ${quote}${text(data, 'closest')}${quote}?` : '';

/** What a code that both servers raise means to each transport. */
function shared(code: SharedCode): Pick<CodeRow, 'class' | 'exit' | 'httpStatus'> {
  const { class: errorClass, exit, httpStatus } = SHARED_CODES[code];
  return { class: errorClass, exit, httpStatus };
}

function badMessage(data: FailData): string {
  if (typeof data.message === 'string') return data.message;
  const bad = data as unknown as BadParam;
  switch (bad.problem) {
    case 'missing':
      return `Parameter "${bad.param}" is missing`;
    case 'choice':
      return `Unknown ${bad.param} '${bad.given}'; it takes ${bad.choices?.join(', ')}.`;
    case 'unknown':
      return bad.suggestion
        ? `Parameter "${bad.param}" does not exist; "${bad.suggestion}" does`
        : `Parameter "${bad.param}" does not exist`;
    case 'type':
      return `Parameter "${bad.param}" must be ${bad.expected}`;
    case 'range':
      return `Parameter "${bad.param}" must be ${bad.expected}`;
    default:
      return bad.param ? `Parameter "${bad.param}" is not valid: ${bad.expected}` : `Not valid: ${bad.expected}`;
  }
}

function badSuggestion(data: FailData): string {
  if (typeof data.advice === 'string') return data.advice;
  const bad = data as unknown as BadParam;
  if (bad.choices) return `Use one of: ${bad.choices.join(', ')}.`;
  if (bad.problem === 'unknown') {
    return bad.suggestion ? `Did you mean \`${bad.suggestion}\`?` : `Leave \`${bad.param}\` out.`;
  }
  const example = (data.corrected as Record<string, unknown> | undefined)?.[bad.param];
  const such = bad.problem === 'type' && example !== undefined ? `, such as ${JSON.stringify(example)}` : '';
  return bad.param ? `Pass \`${bad.param}\` as ${bad.expected}${such}.` : 'Correct the arguments.';
}

/** The same call, corrected; or, when a required value is missing, the tool's own schema or help. */
function badFix(data: FailData, at: FailPoint): FixSpec | undefined {
  const bad = data as unknown as BadParam;
  if (data.fix) return data.fix as FixSpec;
  const corrected = data.corrected as Record<string, unknown> | undefined;
  if (!corrected) {
    return {
      call: { op: 'help', input: { command: at.command ?? at.operation } },
      why: `The call lacks a value for \`${bad.param}\` that only you know; help shows what it takes. Nothing ran.`,
    };
  }
  const call = { op: at.operation, input: corrected };
  const only = data.only === 'mcp' ? { only: 'mcp' as const } : {};
  if (bad.problem === 'choice' && !at.mutating) {
    const verify = 'limit' in corrected ? corrected : { ...corrected, limit: 1 };
    const why = `${String(corrected[bad.param])} is a value that \`${bad.param}\` takes. Nothing ran.`;
    return { call, why, verify: { op: at.operation, input: verify, only: 'mcp' } };
  }
  return {
    call,
    ...only,
    why: `Nothing ran. This is the same call with your other arguments kept and \`${bad.param}\` corrected.`,
  };
}

/**
 * The way to a tool that is not on the session's list. Source: AGENT_OPERATOR v1, Make gbrain work better (Surface).
 */
function unknownToolFix(data: FailData, at: FailPoint): FixSpec {
  const tool = text(data, 'tool');
  if (data.denial !== 'hidden') {
    const why = 'It lists every tool that you can call, by area.';
    return { call: { op: 'request_tools', input: {} }, only: data.transport === 'cli' ? 'cli' : 'mcp', why };
  }
  switch (data.reach) {
    case 'widen':
      return {
        call: { op: 'request_tools', input: { surface: 'full' } },
        only: 'mcp',
        why: `${tool} exists, but this session lists a smaller surface. This widens the session only.`,
      };
    case 'call_tool':
      return {
        call: { op: 'call_tool', input: { name: tool, arguments: at.input } },
        only: 'mcp',
        why: `${tool} exists, and the list of this session stays as it is; this is the same call through call_tool.`,
      };
    default:
      return {
        call: { op: tool, input: at.input },
        only: 'cli',
        why:
          `This session cannot reach ${tool}; the command does the same. ` +
          "GBRAIN_SURFACE=full in the env of the harness's MCP server entry for gbrain lists it from the next start on.",
      };
  }
}

export default defineErrors({
  invalid_params: {
    ...shared('invalid_params'),
    summary: 'An argument is missing, of the wrong type, outside its set, or not declared.',
    message: badMessage,
    suggestion: badSuggestion,
    fix: badFix,
    example: { param: 'limit', problem: 'type', expected: 'a number', corrected: { limit: 10 } },
  },
  unknown_tool: {
    ...shared('unknown_tool'),
    legacyError: 'unknown_operation',
    summary: 'The tool does not exist, or cannot be called on this connection.',
    message: (d) => `No tool ${text(d, 'tool')} can be called on this connection${meant(d) || '.'}`,
    suggestion: (d) => (d.closest ? `Did you mean ${text(d, 'closest')}?` : 'List the tools and use one of them.'),
    fix: unknownToolFix,
    example: { tool: 'delete_page', denial: 'hidden', reach: 'widen' },
  },
  trusted_local_only: {
    class: 'host_only',
    legacyError: 'permission_denied',
    summary: 'Only the owner may do this, at the command line of the machine of the brain.',
    message: (d) => `${text(d, 'tool')} is the owner's alone, at the command line.`,
    suggestion: 'Tell the user the command; nobody can run it for them over this connection.',
    fix: (d, at) => ({
      call: { op: text(d, 'tool'), input: at.input },
      only: 'cli',
      actor: 'user',
      why: 'It takes something away for good, so its owner does it where they are. Nothing was changed.',
    }),
    example: { tool: 'purge_fact' },
  },
  permission_denied: {
    class: 'host_only',
    summary: 'The host of the brain does not allow this call, or only its owner may do it.',
    reasons: ['trusted_cli_required'],
    message: (d) => `${text(d, 'what') || text(d, 'tool')} is not allowed here.`,
    suggestion: (d) =>
      d.reason === 'trusted_cli_required'
        ? 'Choose another slug, or tell the user.'
        : 'Tell the user; only they can change the setting.',
    fix: (d) => {
      if (d.reason === 'trusted_cli_required') {
        return {
          call: { op: 'get_page', input: { slug: d.slug, source_id: d.source } },
          only: 'cli',
          actor: 'user',
          why: 'The slug belongs to the owner alone, who can look at it at the command line.',
        };
      }
      const key = /^config_key=(.+)$/.exec(text(d, 'detail'))?.[1];
      return key === undefined
        ? undefined
        : {
            call: { op: 'config_set', input: { key, value: 'true' } },
            actor: 'user',
            why: `The setting ${key} is off on this machine.`,
          };
    },
    example: { tool: 'request_tools', detail: 'config_key=mcp.allow_session_widen' },
  },
  serve_status_only: {
    class: 'unavailable',
    summary: 'This server has no brain open; only gbrain_status works until it has.',
    reasons: [
      'lock_held',
      'no_brain',
      'config_unreadable',
      'missing_brain',
      'brain_unopenable',
      'repair_failed',
      'unavailable',
    ],
    message: (d) => `${text(d, 'tool')} cannot run: this server has no brain open (${text(d, 'reason')}).`,
    suggestion: 'Call gbrain_status; it says why and opens the brain as soon as that is possible.',
    fix: () => ({
      call: { op: 'gbrain_status', input: {} },
      only: 'mcp',
      why: 'It names what is in the way and who can clear it, and opens the brain when nothing is.',
    }),
    example: { tool: 'get_page', reason: 'lock_held' },
  },
  unknown_command: {
    class: 'caller',
    exit: 2,
    summary: 'The command does not exist.',
    message: (d) => `gbrain has no command "${text(d, 'command')}"${meant(d, '"') || '.'}`,
    suggestion: (d) => (d.closest ? `Did you mean "${text(d, 'closest')}"?` : 'See the list of commands.'),
    fix: (d) => ({
      call: { op: 'help', input: d.closest ? { command: d.closest } : {} },
      why: 'Help lists what there is, with an example of each. Nothing ran.',
    }),
    example: { command: 'gte', closest: 'get' },
  },
  unknown_flag: {
    class: 'caller',
    exit: 2,
    summary: 'The command does not take this flag.',
    message: (d) => `"${text(d, 'command')}" does not take ${text(d, 'flag')}${meant(d) || '.'}`,
    suggestion: (d) => (d.closest ? `Did you mean ${text(d, 'closest')}?` : 'See the flags of the command.'),
    fix: (d) => ({
      call: { op: 'help', input: { command: text(d, 'command') } },
      why: 'Help lists the flags of the command. Nothing ran.',
    }),
    example: { command: 'list', flag: '--srot', closest: '--sort' },
  },
  payload_too_large: {
    ...shared('payload_too_large'),
    summary: 'The text is longer than a page may be.',
    message: (d) => `The text is longer than ${text(d, 'limitBytes')} bytes.`,
    suggestion: 'Split it into several pages.',
    why: 'A page of that size could not be searched or read as one.',
    fix: (d, at) => ({
      call: { op: at.operation, input: { ...at.input, [text(d, 'field')]: `<${text(d, 'field')}>` } },
      inputs: [{ name: text(d, 'field'), how: `a part of the text, of at most ${text(d, 'limitBytes')} bytes` }],
      why: 'Nothing was written. This is the same call for one part; each part gets a slug of its own.',
    }),
    example: { field: 'content', limitBytes: 5_000_000 },
  },
  stdin_silent: {
    class: 'caller',
    exit: 2,
    summary: 'Input was expected from a pipe, and none came.',
    message: (d) => `No input came from the pipe for ${text(d, 'seconds')} s; nothing was changed.`,
    suggestion: 'Pipe the text in, or name a file with --file.',
    fix: (_, at) => ({
      call: { op: 'help', input: { command: at.command ?? at.operation } },
      why: 'Help shows how the command takes its text.',
    }),
    example: { seconds: 30 },
  },
  not_found: {
    ...shared('not_found'),
    summary: 'The thing does not exist, or this caller may not see it.',
    message: (d) => `No ${text(d, 'what') || 'such thing'} ${text(d, 'id')} was found.`.replace(/ +/g, ' '),
    suggestion: 'Check the id against a listing.',
    fix: (d) => d.fix as FixSpec | undefined,
    example: { what: 'write request', id: '0b7e' },
  },
  internal_error: {
    ...shared('internal_error'),
    summary: 'An unexpected fault inside gbrain.',
    message: (d) => `${text(d, 'operation')} failed inside gbrain.`,
    suggestion: 'Tell the user what happened; report it if it repeats.',
    why: 'The fault is not one that gbrain knows; its log has the details.',
    // Nothing to run: the reader reports it. What it can look at is the check.
    fix: () => ({
      why: 'What happened is not known, so no step is sure to help. Say what was called and when.',
      verify: { op: 'run_doctor', input: {} },
    }),
    example: { operation: 'get_page' },
  },
  command_failed: {
    ...shared('command_failed'),
    summary: 'A command ended without a document of its own.',
    message: (d) => `gbrain ${text(d, 'command')} ended with exit status ${text(d, 'exit')}.`,
    suggestion: 'Read the text on stderr.',
    example: { command: 'serve', exit: 1 },
  },
  timeout: {
    ...shared('timeout'),
    summary: 'The time bound of the call ran out.',
    message: (d) => {
      const bound = d.limitMs === undefined ? 'the time that the database is given' : `${Number(d.limitMs) / 1000} s`;
      return `${text(d, 'operation')} did not finish within ${bound}.`;
    },
    suggestion: 'Repeat the same request, with a longer bound if it is known to be slow.',
    fix: (d, at) => (at.mutating ? writeEvidence(d) : repeat(at, 'Nothing was changed; the same call may finish now.')),
    example: { operation: 'list_pages', limitMs: 60_000 },
  },
  cancelled: {
    ...shared('cancelled'),
    summary: 'The call was cancelled before it took effect.',
    message: (d) => `${text(d, 'operation')} was cancelled before it took effect.`,
    suggestion: 'Call it again if it is still wanted.',
    fix: (d, at) => (at.mutating ? writeEvidence(d) : repeat(at, 'Nothing was changed by the cancelled call.')),
    example: { operation: 'put_page' },
  },
  interrupted: {
    ...shared('interrupted'),
    summary: 'A signal cut the command off.',
    message: (d) => `gbrain ${text(d, 'command')} was cut off by ${text(d, 'signal')}.`,
    suggestion: 'Ask the user whether to run it again. This is not an empty result.',
    example: { command: 'list', signal: 'SIGINT' },
  },
  confirmation_required: {
    class: 'consent',
    exit: 3,
    summary: 'The user must agree first; nothing ran.',
    message: (d) => `${text(d, 'operation')} needs the user's approval before it runs; nothing was changed.`,
    suggestion: 'Ask the user first.',
    example: { operation: 'pglite-repair' },
  },
  preview_changed: {
    class: 'caller',
    summary: 'What was approved is no longer what would be done.',
    reasons: ['missing', 'changed'],
    message: (d) => {
      const changes = (d.changes as string[] | undefined) ?? [];
      const known =
        d.reason === 'missing'
          ? 'The plan that was approved is not known here'
          : 'The plan changed after it was approved';
      return `${[known, ...changes].join('; ')}. Nothing was changed.`;
    },
    suggestion: 'Preview it again and ask the user again.',
    fix: (d) => ({
      ...(Array.isArray(d.preview) && { argv: d.preview as string[] }),
      why: 'The preview shows the plan as it is now.',
    }),
    example: { reason: 'changed', preview: ['gbrain', 'list'] },
  },
  database_error: {
    class: 'server',
    summary: 'The database refused or failed a statement.',
    message: (d) => `${text(d, 'operation')} failed in the database (${text(d, 'reason')}).`,
    suggestion: 'Tell the user; the write, if there was one, was rolled back.',
    fix: () => ({
      call: { op: 'run_doctor', input: { only: ['connection', 'schema_version'] } },
      why: 'It says whether the database answers and has the tables of this version.',
    }),
    example: { operation: 'list_pages', reason: 'unreachable' },
  },
  storage_error: {
    class: 'server',
    summary: 'The disk or folder of the brain does not take or give data.',
    message: (d) => `${text(d, 'operation')} failed on ${d.place ?? 'the disk of the brain'} (${text(d, 'reason')}).`,
    suggestion: 'Tell the user to look at the disk; nothing that was acknowledged is lost.',
    fix: () => ({
      call: { op: 'run_doctor', input: { only: ['disk_space', 'pglite_data_dir'] } },
      why: 'It says how much room there is and whether the folder of the brain can be written.',
    }),
    reasons: [
      'disk_full',
      'read_only',
      'damaged',
      'network_file_system',
      'no_permission',
      'missing_folder',
      'foreign_file',
      'no_socket_folder',
      'other',
    ],
    example: { operation: 'put_page', reason: 'disk_full' },
  },
});

function writeEvidence(data: FailData): FixSpec {
  const requestId = data.requestId;
  const call = requestId
    ? { op: 'get_write_request', input: { request_id: requestId } }
    : { op: 'list_write_requests', input: { limit: 5 } };
  return { call, why: `The receipt says whether the write took effect.` };
}

const repeat = (at: FailPoint, why: string): FixSpec => ({ call: { op: at.operation, input: at.input }, why });
