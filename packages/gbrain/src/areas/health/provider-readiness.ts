// Whether a kind of model can be used, from the registered provider families and their keys. It calls none.
import type { CheckResult } from '../../check.ts';
import type { Host } from '../../host.ts';
import type { Provider } from '../../provider.ts';
import type { Registered } from '../../registry.ts';

/** What a kind of model is for, in words. */
export interface ModelUse {
  touchpoint: Provider['touchpoints'][number];
  /** What works without it. */
  without: string;
}

/** The state of a kind of model. A brain without a key is whole, so nothing here ever warns. */
export async function providerReadiness(host: Host, use: ModelUse): Promise<CheckResult> {
  const { providers }: { providers: readonly Registered<Provider>[] } = await import('../../generated/providers.ts');
  const families = providers
    .map(({ value }) => value)
    .filter(({ touchpoints }) => touchpoints.includes(use.touchpoint));
  if (families.length === 0) {
    return {
      status: 'ok',
      message: `this version has no such model; ${use.without}`,
      readiness: { state: 'not_applicable', reason: 'not_configured', tier: 'config' },
    };
  }
  const keyed = families.filter(({ keyEnv }) => keyEnv !== undefined && host.env[keyEnv]);
  if (keyed.length > 0) {
    return {
      status: 'ok',
      message: `configured, not probed: ${keyed.map(({ name }) => name).join(', ')}`,
      details: { families: keyed.map(({ name }) => name) },
      readiness: { state: 'ok', reason: 'configured', tier: 'config' },
    };
  }
  return {
    status: 'ok',
    message: `no key is set; ${use.without}`,
    details: { families: families.map(({ name }) => name) },
    readiness: { state: 'disabled_by_choice', reason: 'not_configured', tier: 'config' },
  };
}
