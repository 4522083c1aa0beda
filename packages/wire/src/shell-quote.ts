// Turns an argv into the one shell line that a person can paste; it knows quoting and no command.

const BARE = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * One word as a POSIX shell reads it back: bare where that is safe, `''` when empty, else single-quoted.
 * A NUL cannot be passed to a program and is the caller's bug. Source: contract facts D.1.
 */
export function shellQuoteWord(word: string): string {
  if (word === '') return "''";
  return BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** An argv as one shell line. A leading word that holds `=` is quoted, so that no shell takes it for an assignment. */
export function shellQuote(argv: readonly string[]): string {
  return argv
    .map((word, index) =>
      index === 0 && word.includes('=') ? `'${word.replaceAll("'", "'\\''")}'` : shellQuoteWord(word),
    )
    .join(' ');
}
