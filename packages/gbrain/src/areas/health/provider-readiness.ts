// Readiness of model providers, read from settings and keys. It calls none.
import type { CheckResult } from '../../check.ts';
import type { FixSpec } from '../../fix.ts';
import type { Host } from '../../host.ts';
import type { Touchpoint } from '../../provider.ts';
import { currentModel, MODEL_SETTING, type NoModel } from '../models/find-model.ts';

/** What a kind of model is for, in words. */
export interface ModelUse {
  touchpoint: Touchpoint;
  /** What works without it. */
  without: string;
  /** Which reason of the vocabulary says that it is off by choice. */
  offReason: 'embedding_disabled' | 'not_configured';
}

const listFix = (why: string): FixSpec => ({ call: { op: 'providers_list', input: {} }, actor: 'user', why });

/** A configured model that cannot be called is worth a word; one that nobody asked for is not. */
function unusable(none: Exclude<NoModel, { none: 'not_configured' | 'off' }>, use: ModelUse): CheckResult {
  const isKey = none.none === 'key_missing';
  const env = 'provider' in none ? ` (${none.provider.keyEnv})` : '';
  const said: Record<typeof none.none, string> = {
    key_missing: `${none.ref} is configured, and its key${env} is not set`,
    address_missing: `${none.ref} is configured, and its address is not set`,
    unknown_model: `${none.ref} is configured, and no such model can be used`,
  };
  return {
    status: 'warn',
    message: `${said[none.none]}; ${use.without}`,
    details: { model: none.ref, setting: MODEL_SETTING[use.touchpoint] },
    readiness: { state: 'missing', reason: isKey ? 'key_missing' : 'unknown_model', tier: 'config' },
    fix: listFix('It shows which providers there are, which have a key, and the variable that holds each key.'),
  };
}

/** The state of a kind of model. A brain without a key is whole, so that never warns. */
export async function providerReadiness(host: Host, use: ModelUse): Promise<CheckResult> {
  const found = await currentModel(host, use.touchpoint);
  if (!('none' in found)) {
    return {
      status: 'ok',
      message: `configured, not probed: ${found.model.ref}`,
      details: { model: found.model.ref, local: found.model.isFree },
      readiness: { state: 'ok', reason: 'configured', tier: 'config' },
    };
  }
  if (found.none === 'off') {
    return {
      status: 'ok',
      message: `off by choice; ${use.without}`,
      readiness: { state: 'disabled_by_choice', reason: use.offReason, tier: 'config' },
    };
  }
  if (found.none === 'not_configured') {
    return {
      status: 'ok',
      message: `no key is set; ${use.without}`,
      readiness: { state: 'disabled_by_choice', reason: 'not_configured', tier: 'config' },
      fix: listFix('It shows which providers there are and the variable that holds each key.'),
    };
  }
  return unusable(found, use);
}
