// Writes examples/vault: a made company's notes, people and meetings, with a few odd files that real folders have.
// Everybody in it is invented; the same script gives the same files.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(dirname(fileURLToPath(import.meta.url))), 'examples/vault');

let state = 7;
function next(below: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return (state >>> 8) % below;
}
const one = <T>(list: readonly T[]): T => list[next(list.length)]!;

const FIRST = ['Mira', 'Joost', 'Anneli', 'Bashir', 'Carmen', 'Dov', 'Elif', 'Fiona', 'Goran', 'Hana', 'Ivo', 'Jun'];
const LAST = [
  'Oduya',
  'Vermeer',
  'Kask',
  'Haddad',
  'Ruiz',
  'Peled',
  'Kaya',
  'Byrne',
  'Novak',
  'Sato',
  'Petrov',
  'Lindt',
];
const COMPANIES = ['Harbourline Freight', 'Kestrel Optics', 'Low Tide Foods', 'Nordlys Energy', 'Paperbark Studio'];
const MORE = ['Quiet Motors', 'Redstart Bio', 'Saltmarsh Data', 'Tallow Works', 'Umber Ceramics', 'Vireo Maps'];
const ROLES = ['chief engineer', 'head of operations', 'buyer', 'lawyer', 'designer', 'head of sales', 'data analyst'];
const MATTERS = [
  'the spring contract',
  'delivery windows',
  'a second warehouse',
  'the audit',
  'packaging',
  'the pilot',
];
const OUTCOMES = ['We agreed to decide in two weeks.', 'The price stays as it is.', 'A draft goes round on Friday.'];

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const day = (n: number): string => new Date(Date.UTC(2026, 0, 5 + n)).toISOString().slice(0, 10);

function write(path: string, text: string | Uint8Array): void {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
}

interface Person {
  name: string;
  path: string;
  company: string;
  role: string;
}

rmSync(root, { recursive: true, force: true });
const companies = [...COMPANIES, ...MORE];
const people = Array.from({ length: 110 }, (_, i): Person => {
  const name = `${FIRST[i % FIRST.length]} ${LAST[(i * 5 + Math.floor(i / FIRST.length)) % LAST.length]}`;
  return { name, path: `people/${slug(name)}-${i}`, company: companies[i % companies.length]!, role: one(ROLES) };
});
for (const person of people) {
  const at = `companies/${slug(person.company)}`;
  const know = one(people);
  write(
    `${person.path}.md`,
    `---\ntype: person\ntags: [${one(['customer', 'partner', 'friend'])}]\n---\n\n# ${person.name}\n\n` +
      `${person.name} works at ` +
      `[[${at}|${person.company}]] as ${person.role}. They talk about ${one(MATTERS)} ` +
      'more than about anything else.\n\n' +
      `Introduced by [[${know.path}|${know.name}]].\n\n<!-- timeline -->\n\n` +
      `- **${day(next(300))}** | call — asked about ${one(MATTERS)}\n` +
      `- **${day(next(300))}** | mail — ${one(OUTCOMES)}\n`,
  );
}
for (const [i, company] of companies.entries()) {
  const founder = people[i]!;
  write(
    `companies/${slug(company)}.md`,
    `---\ntype: company\naliases: [${company.split(' ')[0]}]\n---\n\n# ${company}\n\n${company} was founded by ` +
      `[[${founder.path}|${founder.name}]]. It cares about ${one(MATTERS)}.\n`,
  );
}
for (let i = 0; i < 90; i++) {
  const [a, b] = [one(people), one(people)];
  const matter = one(MATTERS);
  write(
    `meetings/${day(i * 3)}-${slug(matter)}.md`,
    `---\ntype: meeting\ndate: ${day(i * 3)}\nattendees: [${a.path}, ${b.path}]\n---\n\n# Meeting on ${matter}\n\n` +
      `${a.name} and ${b.name} spoke about ${matter}. ${one(OUTCOMES)} See [[companies/${slug(a.company)}]].\n`,
  );
}
for (let i = 0; i < 40; i++) {
  write(
    `notes/${slug(one(MATTERS))}-${i}.md`,
    `# Note ${i} on ${one(MATTERS)}\n\nA thought for ${one(people).name}: ${one(OUTCOMES)}\n\n` +
      `- [ ] ask ${one(people).name}\n`,
  );
}

// What real folders have: other scripts, other line ends, code, tables, no heading, nothing at all.
write('odd/浦东冷链.md', '# 浦东新区的冷链仓库\n\n浦东新区的冷链仓库由 [[companies/low-tide-foods]] 使用。\n');
write('odd/Zürich Café.md', '# Zürich Café\n\nÜber die Straße und zurück; crème brûlée.\n');
write(
  'odd/windows.md',
  '\ufeff---\r\ntitle: "Windows file: with a colon"\r\n---\r\n\r\n# Ends with CRLF\r\n\r\nLine.\r\n',
);
write('odd/no-heading.md', 'Only a line, and no end');
write('odd/empty.md', '');
write(
  'odd/code.md',
  '# Code\n\n```ts\nexport const readPage = (slug: string) => slug; // INV-20931\n```\n\n`[[not/a-link]]`\n',
);
write(
  'odd/table.md',
  '# Table\n\n| who | where |\n|---|---|\n| [[people/mira-oduya-0\\|Mira]] | C++ and src/io/read.ts |\n',
);
write('odd/component.mdx', '# A component\n\n<Chart data={[1, 2, 3]} />\n');
write('odd/quoted "name".md', '# Quoted\n\nThe name of this file has quotes in it.\n');
write('odd/not-utf8.md', Uint8Array.from([0x23, 0x20, 0x4c, 0x61, 0x74, 0x69, 0x6e, 0x31, 0x20, 0xe9, 0x0a]));
