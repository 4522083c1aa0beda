// Rows of checks as one caller reads them: fixes rendered for the connection. It runs no check.
import type { Connection } from '@gbrain/wire/action';
import { renderAction } from '@gbrain/wire/render-action';
import type { Context } from '../../context.ts';
import { readPreapproval } from '../../pipeline/consent.ts';
import { connectionOf } from '../../render/connection.ts';
import { type ReportRow, remediationOf } from './report.ts';
import type { CheckRow } from './run-checks.ts';

/** The connection of a call's caller; settings that cannot be read approve nothing. */
export async function callerConnection(ctx: Pick<Context, 'host' | 'caller' | 'target'>): Promise<Connection> {
  const preapproval = await readPreapproval(ctx.host).catch(() => ({ persistentInstall: false }));
  return connectionOf(ctx.host, ctx.caller, preapproval, { target: ctx.target });
}

/** A row with its fix for this connection. */
export function renderRow(row: CheckRow, connection: Connection): ReportRow {
  const { check, status, message, details, readiness, action, fixUnavailable } = row;
  const fix = action && renderAction(action, connection);
  const isInfo = readiness?.state === 'disabled_by_choice' || readiness?.state === 'not_applicable';
  return {
    name: check.name,
    status,
    message,
    category: check.category,
    ...(isInfo && { severity: 'info' as const }),
    ...(details && { details }),
    ...(readiness && { readiness_state: readiness.state, readiness_reason: readiness.reason }),
    ...(status !== 'ok' && { remediation_status: remediationOf(fix) }),
    ...(row.remedy && { remedy: row.remedy }),
    ...(fix && { fix }),
    ...(fixUnavailable && { fix_unavailable_reason: fixUnavailable }),
  };
}
