// Written by npm run generate from areas/*/*.provider.ts; do not edit.
import type { Provider } from '../provider.ts';
import type { Registered } from '../registry.ts';

export const providers: readonly Registered<Provider>[] = [
];
