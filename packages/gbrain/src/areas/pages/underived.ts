// How many pages lack the rows that their commit wrote with them.
import type { Store } from '../../store/store.ts';
import { countUnderived } from './pages.sql.ts';

/** Live pages that `derive_rows` has work on. */
export const underivedPages = (store: Store): Promise<number> => countUnderived(store);
