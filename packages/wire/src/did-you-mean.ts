// Finds the name that was probably meant; it knows edit distance and no registry.

/** Longer values are no typing mistakes of a name, and are not compared. */
const VALUE_MAX_UNITS = 64;

/** Edits that still count as a slip, by the longer name: one up to five letters, two up to eight, then three. */
function slipsAllowed(length: number): number {
  if (length <= 5) return 1;
  return length <= 8 ? 2 : 3;
}

/** The candidate nearest to `value`, or undefined when none is near. See `closestNames`. */
export function closest(value: string, candidates: readonly string[]): string | undefined {
  return closestNames(value, candidates, 1)[0];
}

/**
 * Up to `max` candidates that `value` may stand for, nearest first: the same name in other case or with other
 * separators, then names a few slips away (insert, drop, replace, swap), then a name of which at least three
 * letters were typed. Ties keep a shared first letter first, then the given order. `value` itself is never given.
 */
export function closestNames(value: string, candidates: readonly string[], max: number): string[] {
  const typed = fold(value);
  if (typed === '' || value.length > VALUE_MAX_UNITS) return [];
  const scored: { name: string; score: number; order: number }[] = [];
  for (const [order, name] of candidates.entries()) {
    const score = name === value ? undefined : scoreOf(typed, fold(name));
    if (score !== undefined) scored.push({ name, score, order });
  }
  scored.sort((a, b) => a.score - b.score || a.order - b.order);
  return [...new Set(scored.map(({ name }) => name))].slice(0, max);
}

function scoreOf(typed: string, name: string): number | undefined {
  if (typed === name) return 0;
  const length = Math.max(typed.length, name.length);
  const allowed = slipsAllowed(length);
  const penalty = typed[0] === name[0] ? 0 : 0.5;
  const distance = editDistance(typed, name, allowed);
  // At least half of the typed letters must survive, else `ab` would stand for every two-letter name.
  if (distance <= allowed && distance * 2 <= typed.length) return distance + penalty;
  return typed.length >= 3 && name.startsWith(typed) ? 10 + name.length : undefined;
}

/**
 * Damerau-Levenshtein distance (adjacent swaps count once, no substring is edited twice) in UTF-16 units.
 * Distances beyond `bound` come back as `bound + 1`, without the rest of the work.
 */
export function editDistance(a: string, b: string, bound: number = Number.MAX_SAFE_INTEGER): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] as number) + 1);
      current.push(cost);
      best = Math.min(best, cost);
    }
    // Distances along a row and from row to row change by one at most, so a row beyond the bound ends it, swaps too.
    if (best > bound) return bound + 1;
    beforeLast = last;
    last = current;
  }
  return Math.min(last[b.length] as number, bound + 1);
}

// Case, and whether words are joined by `-`, `_` or nothing at the front, are not what a name is mistaken for.
function fold(name: string): string {
  return name
    .toLowerCase()
    .replace(/^-+/, '')
    .replace(/[-_ ]+/g, '_');
}
