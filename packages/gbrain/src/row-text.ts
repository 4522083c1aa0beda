// How texts for people are filled: values of a row's data, and numbers with their nouns. It knows no row.

/** A value of a row's data as text; empty when it is not there. */
export const text = (data: Readonly<Record<string, unknown>>, key: string): string => String(data[key] ?? '');

/** A number with its noun: `1 file`, `1,200 files`; `many` where an s does not make the plural. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : many}`;
