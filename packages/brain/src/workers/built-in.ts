// The registration of a server that was given none: `default`, the loop that comes with Brain. It starts nothing.
import { fileURLToPath } from 'node:url';
import { REGISTRATION_DEFAULTS } from '@gbrain/brain-protocol/registration';
import type { ResolvedRegistration } from './registration.ts';

/** Name of the built-in registration. */
export const BUILT_IN_NAME = 'default';

/** The built-in loop, run by the same Node as the server. */
export function builtInRegistration(execPath: string): ResolvedRegistration {
  return {
    name: BUILT_IN_NAME,
    command: execPath,
    args: [fileURLToPath(loopEntry())],
    configuration: {},
    ...REGISTRATION_DEFAULTS,
  };
}

/** The loop's file: in its own package in the sources, beside the server in a bundle. */
function loopEntry(): string | URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return import.meta.resolve('@gbrain/harness/bin/default-loop');
  return new URL(here.includes('/chunks/') ? '../default-loop.js' : './default-loop.js', here);
}
