// Codes of sources and of folders that are taken in and written out.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNow } from 'gbrain/areas/content/projector';
import { sql } from 'gbrain/store/sql';
import type { Provocation, Stage } from '../walk.ts';

const folderOf = (at: Stage, name: string): string => join(at.home.folder, `${name}-${at.door}`);

/** A source of its own whose folder was taken in and has since lost most of its files. */
const imported = (id: string) => async (at: Stage) => {
  const folder = folderOf(at, id);
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: 14 }, (_, n) => join(folder, `note-${n}.md`));
  for (const file of files) writeFileSync(file, '# A note\n');
  await at.home.document(['sources', 'add', id]);
  await at.home.document(['import', folder, '--source', id]);
  for (const file of files.slice(1)) rmSync(file);
};

const removal = (at: Stage, id: string) => ['import', folderOf(at, id), '--remove-gone', '--source', id];

/** A page whose file in the content directory is held, and cannot be read as text. */
async function heldFile(at: Stage): Promise<void> {
  const { body } = await at.home.document(['content', 'status']);
  const file = join(String(body.root), 'held.md');
  const { pipe, put } = { pipe: await at.session(), put: { slug: 'held', force: true } };
  await pipe.body('put_page', { ...put, content: 'one\n' });
  const { store, brainId } = await at.brain();
  const [row] = await store.query<{ id: number }>(sql`select id from pages where slug = 'held'`);
  const brain = { store, brainId, home: at.home.root, now: () => new Date() };
  await projectNow(brain, row!.id);
  writeFileSync(file, Buffer.from([0x23, 0x20, 0xff, 0xfe]));
  utimesSync(file, 0, 0);
  await pipe.body('put_page', { ...put, content: 'two\n' });
  await projectNow(brain, row!.id);
}

const addSource = async (at: Stage, args: Record<string, unknown>) => (await at.session()).body('sources_add', args);

export const folders: readonly Provocation[] = [
  {
    code: 'unknown_source',
    way: 'a read',
    cli: () => ['list', '--source', 'nowhere'],
    mcp: () => ['list_pages', { source_id: 'nowhere' }],
    next: 'run',
  },
  {
    code: 'unknown_source',
    way: 'a write',
    cli: () => ['put', 'a', '--content', 'x\n', '--source', 'nowhere'],
    mcp: () => ['put_page', { slug: 'a', content: 'x\n', source_id: 'nowhere' }],
    next: 'run',
  },
  {
    code: 'invalid_source',
    cli: () => ['list', '--source', '../x'],
    mcp: () => ['list_pages', { source_id: '../x' }],
    next: 'run',
  },
  {
    code: 'owner_unavailable',
    way: 'a source whose files are its truth',
    state: async (at) => {
      mkdirSync(folderOf(at, 'wiki'), { recursive: true });
      await at.home.document(['sources', 'add', `wiki-${at.door}`, '--path', folderOf(at, 'wiki'), '--truth', 'files']);
    },
    cli: () => ['capture', 'x', '--source', 'wiki-cli'],
    mcp: () => ['capture', { content: 'x', source_id: 'wiki-mcp' }],
    next: 'ask_user',
  },
  {
    code: 'source_id_taken',
    state: (at) => addSource(at, { id: `taken-${at.door}`, name: `One ${at.door}` }),
    cli: () => ['sources', 'add', 'taken-cli', '--name', 'Two'],
    mcp: () => ['sources_add', { id: 'taken-mcp', name: 'Two' }],
    next: 'run',
  },
  {
    code: 'source_folder_local',
    mcp: (at) => ['sources_add', { id: 'bound', path: at.home.folder }],
    next: 'tell_user_to_run',
  },
  {
    code: 'source_protected',
    cli: () => ['sources', 'remove', 'default'],
    mcp: () => ['sources_remove', { id: 'default' }],
    next: 'run',
  },
  { code: 'source_unbound', cli: () => ['sync'], next: 'run' },
  { code: 'transcripts_unreadable', cli: () => ['transcripts', 'ingest', '/nowhere/at/all'], next: 'run' },
  { code: 'folder_unreadable', cli: () => ['import', '/nowhere-at-all'], next: 'run' },
  {
    code: 'folder_unreadable',
    way: 'the folder above is not there either',
    cli: () => ['import', '/nowhere-at-all/notes/of-mine'],
    next: 'run',
  },
  { code: 'eval_dataset', cli: () => ['eval', 'run', '/nowhere-at-all/locomo.json'], next: 'run' },
  {
    code: 'harness_file_refused',
    state: async ({ home }) => writeFileSync(join(home.folder, '.claude.json'), '{ "mcpServers": '),
    cli: () => ['bootstrap', 'harness', '--harness', 'claude-code', '--dry-run'],
    next: 'tell_user_to_run',
    end: async ({ home }) => rmSync(join(home.folder, '.claude.json')),
  },
  {
    code: 'sync_not_applicable',
    cli: (at) => ['import', join(at.home.root, 'content')],
    next: 'run',
  },
  {
    code: 'confirmation_required',
    state: imported('asked'),
    cli: (at) => removal(at, 'asked'),
    next: 'ask_user',
    settles: true,
  },
  {
    code: 'preview_changed',
    state: imported('changed'),
    cli: (at) => [...removal(at, 'changed'), '--yes', '--expect', 'ph_000000000000000000000000'],
    next: 'run',
  },
  {
    code: 'plan_stale',
    cli: () => ['doctor', '--remediate', '--resume', 'ph_000000000000000000000000', '--yes'],
    next: 'run',
  },
  { code: 'export_folder', cli: (at) => ['export', '--dir', join(at.home.root, 'out')], next: 'run' },
  {
    code: 'export_unreadable',
    state: async (at) => {
      mkdirSync(join(folderOf(at, 'out'), '_gbrain'), { recursive: true });
      writeFileSync(join(folderOf(at, 'out'), '_gbrain/manifest.json'), '{ "format": ');
    },
    cli: (at) => ['import', folderOf(at, 'out')],
    next: 'run',
  },
  {
    code: 'file_not_held',
    state: async (at) => (await at.session()).body('put_page', { slug: 'as-it-is', content: 'x\n', force: true }),
    cli: () => ['content', 'take', 'as-it-is'],
    next: 'run',
  },
  { code: 'file_unusable', state: heldFile, cli: () => ['content', 'take', 'held'], next: 'run' },
];
