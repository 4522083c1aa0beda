// Step 5: work that the user must agree to does not start without it; nothing has run when this refuses.
import type { Effect, Preapproval } from '@gbrain/wire/action';
import { covers } from '@gbrain/wire/caps';
import type { ConsentRequest } from '@gbrain/wire/envelope';
import type { Approval } from '../call.ts';
import type { Context } from '../context.ts';
import { raise } from '../failure.ts';
import type { Host } from '../host.ts';
import type { Operation } from '../operation.ts';

/** What the user told this home to stop asking about. File plane only. */
export async function readPreapproval(host: Host): Promise<Preapproval> {
  const paid = (await host.setting('consent.preapprove.paid.max_usd_per_run')).value;
  const install = (await host.setting('consent.preapprove.persistent_install')).value;
  return { ...(typeof paid === 'number' && { paidMaxUsdPerRun: paid }), persistentInstall: install === true };
}

interface Standing {
  preapproval: Preapproval;
  /** `spend.posture` is tokenmax: paid work runs under its derived cap without asking. */
  isTokenmax: boolean;
}

function isAuthorized(request: ConsentRequest, approval: Approval | undefined, standing: Standing): boolean {
  const { preapproval, isTokenmax } = standing;
  if (request.effects.includes('destructive')) {
    return approval?.yes === true && approval.expect !== undefined && approval.expect === request.plan_hash;
  }
  if (approval?.yes) return true;
  const isPaidFor = approval?.maxUsd !== undefined || isTokenmax;
  const left = request.effects.filter((effect: Effect) => !(effect === 'paid' && isPaidFor));
  return covers(preapproval, left, request.est_usd);
}

/** Raises `confirmation_required`, or `preview_changed` when the approved plan is no longer the plan. */
export async function requireConsent(
  operation: Operation,
  ctx: Context,
  input: Record<string, unknown>,
  approval: Approval | undefined,
): Promise<void> {
  const request = await operation.consent?.(ctx, input, approval);
  if (!request) return;
  const isTokenmax = (await ctx.host.setting('spend.posture')).value === 'tokenmax';
  if (isAuthorized(request, approval, { preapproval: await readPreapproval(ctx.host), isTokenmax })) return;
  if (approval?.yes && approval.expect !== undefined && approval.expect !== request.plan_hash) {
    raise('preview_changed', { reason: 'changed', preview: request.preview_argv, operation: operation.name });
  }
  raise('confirmation_required', { consent: request, operation: operation.name });
}
