// Codes of pages: what stands there is not what the writer thinks, or the text is not one that a page can be.
import type { Provocation, Stage } from '../walk.ts';

/** A slug of a case, one for each door. */
const slugOf = (at: Stage, name: string): string => `walk/${at.door}/${name}`;

const FENCED = '<!--- gbrain:facts:begin -->\n| # | claim |\n|---|---|\n| 1 | tea |\n<!--- gbrain:facts:end -->\n';

/** Writes a page whatever stands there; gives its revision. */
async function put(at: Stage, name: string, content: string): Promise<string> {
  const args = { slug: slugOf(at, name), content, force: true };
  return (await (await at.session()).body<{ revision: string }>('put_page', args)).revision;
}

/** Revision that a case's `state` left for its call. */
const revisions = new Map<string, string>();

/** A page at `name` with this text; the call that follows may name its revision. */
const page =
  (name: string, ...texts: string[]): Provocation['state'] =>
  async (at) => {
    const made: string[] = [];
    for (const text of texts) made.push(await put(at, name, text));
    revisions.set(slugOf(at, name), made[0]!);
  };

interface Write {
  name: string;
  content: string;
  /** Names the revision that `state` made first. */
  onFirst?: boolean;
}

/** A whole-page write, at both doors. */
function writes({ name, content, onFirst = false }: Write): Pick<Provocation, 'cli' | 'mcp'> {
  const revision = (at: Stage) => (onFirst ? revisions.get(slugOf(at, name)) : undefined);
  return {
    cli: (at) => {
      const expected = revision(at);
      const on = expected === undefined ? [] : ['--expected-revision', expected];
      return { argv: ['put', slugOf(at, name), ...on], given: { stdin: content } };
    },
    mcp: (at) => {
      const expected_revision = revision(at);
      return ['put_page', { slug: slugOf(at, name), content, ...(expected_revision && { expected_revision }) }];
    },
  };
}

/** An edit that is refused. */
function edits(code: string, text: string, oldText: string): Provocation {
  const edit = [{ old_text: oldText, new_text: 'x' }];
  const revision = (at: Stage) => revisions.get(slugOf(at, code))!;
  return {
    code,
    state: page(code, text),
    cli: (at) => ['edit', slugOf(at, code), '--expected-revision', revision(at), '--edits', JSON.stringify(edit)],
    mcp: (at) => ['edit_page', { slug: slugOf(at, code), expected_revision: revision(at), edits: edit }],
    next: 'run',
  };
}

const deletes = async (at: Stage, name: string) => (await at.session()).body('delete_page', { slug: slugOf(at, name) });

export const pages: readonly Provocation[] = [
  {
    code: 'page_not_found',
    way: 'one with a near name',
    state: page('alice-example', 'x\n'),
    cli: (at) => ['get', slugOf(at, 'alice-exmaple')],
    mcp: (at) => ['get_page', { slug: slugOf(at, 'alice-exmaple') }],
    next: 'run',
  },
  {
    code: 'page_not_found',
    way: 'a write on it',
    cli: () => ['delete', 'walk/never-written'],
    mcp: () => ['delete_page', { slug: 'walk/never-written' }],
    next: 'run',
  },
  {
    code: 'page_identity_changed',
    state: async (at) => {
      await page('identity', 'one\n')!(at);
      await deletes(at, 'identity');
    },
    ...writes({ name: 'identity', content: 'two\n', onFirst: true }),
    next: 'run',
  },
  {
    code: 'timeline_rows_would_be_removed',
    // The owner at the terminal may; an agent has to say so.
    state: page('dated', '# Dated\n\nProse.\n\n## Timeline\n\n- **2026-01-02** | note — met\n'),
    mcp: writes({ name: 'dated', content: '# Dated\n\nNew prose.\n', onFirst: true }).mcp,
    next: 'run',
  },
  {
    code: 'revision_required',
    way: 'a short text, which the second step carries',
    state: page('required', 'one\n'),
    ...writes({ name: 'required', content: 'two\n' }),
    next: 'run',
    settles: true,
  },
  {
    code: 'revision_required',
    way: 'a long text, which the writer puts in',
    state: page('required-long', 'one\n'),
    ...writes({ name: 'required-long', content: 'long '.repeat(2000) }),
    inputs: { content: 'merged\n' },
    next: 'run',
  },
  {
    code: 'revision_conflict',
    state: page('conflict', 'one\n', 'two\n'),
    ...writes({ name: 'conflict', content: 'three\n', onFirst: true }),
    next: 'run',
  },
  {
    code: 'ambiguous_slug',
    state: async (at) => {
      await put(at, 'one/twin', 'x\n');
      await put(at, 'two/twin', 'x\n');
    },
    cli: () => ['get', '--fuzzy', 'twin'],
    mcp: () => ['get_page', { slug: 'twin', fuzzy: true }],
    next: 'run',
  },
  edits('edit_no_match', 'one\n', 'two'),
  edits('edit_ambiguous_match', 'one one\n', 'one'),
  // Over MCP the rows of a fence are not in what an agent reads, so it finds no such text there.
  { ...edits('edit_protected_span', FENCED, 'tea'), mcp: undefined },
  edits('edit_invalid', 'one\n', ''),
  {
    code: 'invalid_frontmatter',
    ...writes({ name: 'front', content: '---\na: [\n---\nx\n' }),
    inputs: { content: '---\na: []\n---\nx\n' },
    next: 'run',
  },
  {
    code: 'invalid_fence',
    ...writes({ name: 'fence', content: FENCED.slice(0, 60) }),
    inputs: { content: FENCED },
    next: 'run',
  },
  {
    code: 'content_rejected',
    way: 'a character that no text has',
    ...writes({ name: 'nul', content: 'a\0b' }),
    inputs: { content: 'ab\n' },
    next: 'run',
  },
  {
    code: 'content_rejected',
    way: 'nothing',
    ...writes({ name: 'empty', content: '\n \n' }),
    inputs: { content: 'not empty\n' },
    next: 'run',
  },
  {
    code: 'file_too_large',
    mcp: (at) => ['put_page', { slug: slugOf(at, 'large'), content: 'x'.repeat(5_000_001) }],
    inputs: { content: 'x\n' },
    next: 'run',
  },
  {
    code: 'not_found',
    way: 'a version',
    state: page('version', 'x\n'),
    cli: (at) => ['history', slugOf(at, 'version'), '--version-id', '999999'],
    mcp: (at) => ['get_versions', { slug: slugOf(at, 'version'), version_id: 999_999 }],
    next: 'run',
  },
];
