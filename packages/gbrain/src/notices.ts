// Notice rows: the kind of file that declares advice codes, and how a row with data becomes a notice.
import type { Action } from '@gbrain/wire/action';
import type { Decision, Notice, NoticeKind } from '@gbrain/wire/notice';
import type { FixSpec } from './fix.ts';

/** Values that fill a row's texts, fix and decisions. */
export type NoticeData = Record<string, unknown>;

type Text = string | ((data: NoticeData) => string);

/** One notice code. Source: AGENT_OPERATOR v1, Notices. */
export interface NoticeRow {
  kind: NoticeKind;
  /** One sentence for the docs. */
  summary: string;
  why: Text;
  userMessage?: Text;
  fix?: (data: NoticeData) => FixSpec | undefined;
  decisions?: (data: NoticeData) => Decision[];
  /** Describes one call's result, so it is never deduplicated. */
  perCall?: boolean;
  /** Data of one real case: the completeness test renders the row with it. */
  example: NoticeData;
}

/** Notice rows by code. */
export type NoticeTable = Readonly<Record<string, NoticeRow>>;

/** Declares notice codes; the default export of `areas/<area>/<area>.notices.ts`. */
export function defineNotices<const T extends Record<string, NoticeRow>>(table: T): T {
  return table;
}

const fill = (text: Text, data: NoticeData): string => (typeof text === 'string' ? text : text(data));

/** Fills a row: the notice of one call or process. */
export function buildNotice(
  code: string,
  row: NoticeRow,
  data: NoticeData,
  toAction: (fix: FixSpec) => Action | undefined,
): Notice {
  const fixSpec = row.fix?.(data);
  const fix = fixSpec && toAction(fixSpec);
  const decisions = row.decisions?.(data);
  return {
    code,
    kind: row.kind,
    why: fill(row.why, data),
    ...(fix && { fix }),
    ...(row.userMessage && { user_message: fill(row.userMessage, data) }),
    ...(decisions && decisions.length > 0 && { decisions }),
    ...(row.perCall && { per_call: true }),
    ...(data.configOnly === true && { config_only: true }),
    ...(data.coverage !== undefined && { coverage: data.coverage as NonNullable<Notice['coverage']> }),
  };
}
