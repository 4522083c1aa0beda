// The form of generated pages: a head that says who wrote them, and tables. It knows no registry.

const HEAD = '<!-- Written by npm run generate from the registry; do not edit. -->\n';

const cell = (text: unknown): string =>
  String(text ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');

/** A table of Markdown; cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A page from its title and its parts, which are set apart by a blank line. */
export const page = (title: string, ...parts: string[]): string => `${HEAD}# ${title}\n\n${parts.join('\n\n')}\n`;
