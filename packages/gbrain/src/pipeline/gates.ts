// Publish gates: settings without which a gated operation is neither listed nor callable. A failed read is shut.
import type { Host } from '../host.ts';

/** Keys of the gates that are open now. */
export async function openGates(host: Host): Promise<ReadonlySet<string>> {
  const keys = new Set(host.registry.operations.flatMap(({ gate }) => (gate ? [gate] : [])));
  const open = new Set<string>();
  for (const key of keys) {
    const found = await host.setting(key).catch(() => undefined);
    if (found?.value === true) open.add(key);
  }
  return open;
}
