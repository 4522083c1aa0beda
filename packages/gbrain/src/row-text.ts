// How the texts of error and notice rows read the data that they are filled with. It knows no row.

/** A value of a row's data as text; empty when it is not there. */
export const text = (data: Readonly<Record<string, unknown>>, key: string): string => String(data[key] ?? '');
