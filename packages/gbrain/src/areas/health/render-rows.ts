// Rows of checks as one caller reads them: fixes rendered for the connection. It runs no check.
import type { Connection } from '@gbrain/wire/action';
import { renderAction } from '@gbrain/wire/render-action';
import type { Repair } from '../../check.ts';
import type { Context } from '../../context.ts';
import { readPreapproval } from '../../pipeline/consent.ts';
import { connectionOf } from '../../render/connection.ts';
import { type ReportRow, type RowRepair, remediationOf } from './report.ts';
import type { CheckRow } from './run-checks.ts';

/** The connection of a call's caller; settings that cannot be read approve nothing. */
export async function callerConnection(ctx: Pick<Context, 'host' | 'caller' | 'target'>): Promise<Connection> {
  const preapproval = await readPreapproval(ctx.host).catch(() => ({ persistentInstall: false }));
  return connectionOf(ctx.host, ctx.caller, preapproval, { target: ctx.target });
}

const toRowRepair = ({ kind, why, records }: Repair): RowRepair => ({
  kind,
  why,
  records: records.map(({ id, sourceId, input, revision }) => ({ id, source_id: sourceId, input, revision })),
});

/** A row with its fix for this connection. */
export function renderRow(row: CheckRow, connection: Connection): ReportRow {
  const { check, status, message, details, readiness, action, repairs, fixUnavailable } = row;
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
    ...(repairs && { repairs: repairs.map(toRowRepair) }),
    ...(fix && { fix }),
    ...(fixUnavailable && { fix_unavailable_reason: fixUnavailable }),
  };
}
