// What a reader is shown of stored text: credentials are for nobody but the owner.
import type { ReadScope } from '../../context.ts';
import { redactSecrets } from './shapes.ts';

/**
 * A stored text as a reader is shown it. Before it is cut: half of a credential has no shape. A page itself is given as
 * it is, for who edits it needs every byte.
 */
export const shownText = (scope: ReadScope, text: string): string =>
  scope.visibility === 'all' ? text : redactSecrets(text);
