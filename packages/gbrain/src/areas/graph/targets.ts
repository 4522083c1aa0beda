// Turns a target as it is written into the names it may stand for. Pure text work: it never asks whether a page exists.

/** What a reference may lead to, best first. */
export interface Target {
  /** Source id that the author named; without it the page's own source is meant. */
  readonly source?: string;
  /** Paths below the source's root, as written apart from `..` and escapes; the first that is a page wins. */
  readonly paths: readonly string[];
  /** A name that may also be an alias, a title or a last path segment. */
  readonly name?: string;
  /** Heading or block within the page. */
  readonly anchor?: string;
  /** An image or another file that is no page of text. */
  readonly file?: boolean;
}

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
/** Source ids are those of the sources table; a scheme such as `https:` is told apart by what follows. */
const QUALIFIED = /^([a-zA-Z0-9][a-zA-Z0-9_-]{0,63}):([^\s/:][^:]*\/[^:]*|[^\s/:][^\s:]*)$/;
const WEB = /^(?:https?|mailto|ftp|file|data|javascript|tel|obsidian|urn|about)$/i;
const MARKDOWN = /\.(?:md|mdx|markdown)$/i;
const IMAGE = /\.(?:png|jpe?g|gif|webp|heic|avif|svg|bmp|tiff?)$/i;
const OTHER_FILE =
  /\.(?:pdf|docx?|xlsx?|pptx?|zip|gz|tgz|tar|mp[34]|m4a|mov|wav|csv|html?|json|ya?ml|toml|xml|txt|epub|ics)$/i;

/** Endings of source code, by which a bare path is told from words with a slash. */
export const CODE_ENDING =
  '\\.(?:c|cc|cpp|cs|css|ex|go|h|hpp|java|jsx?|kt|lua|m?[jt]s|cjs|php|py|rb|rs|scala|sh|sql|svelte|swift|tsx|vue|zig)';
const CODE = new RegExp(`${CODE_ENDING}$`, 'i');

/** True for names of image files. */
export function isImagePath(path: string): boolean {
  return IMAGE.test(path);
}

/**
 * Target of a wikilink or embed: `dir/slug`, `source:dir/slug`, `Name`, each perhaps with `#anchor`. Undefined when
 * it leads nowhere else (`[[#heading]]`) or out of the brain (an address).
 */
export function parseWikiTarget(written: string, fromSlug: string): Target | undefined {
  const hash = written.indexOf('#');
  const anchor = hash < 0 ? undefined : written.slice(hash + 1).trim();
  const body = (hash < 0 ? written : written.slice(0, hash)).trim();
  if (body === '' || body.startsWith('//')) return undefined;
  const qualified = QUALIFIED.exec(body);
  if (qualified && WEB.test(qualified[1]!)) return undefined;
  if (/^(?:https?|mailto|ftp|file|data|javascript):/i.test(body)) return undefined;
  const path = qualified ? qualified[2]! : body;
  const joined = /^\.{1,2}\//.test(path) ? joinPath(folderOf(fromSlug), path) : path.replace(/^\/+/, '');
  if (joined === undefined || joined === '') return undefined;
  return {
    ...(qualified ? { source: qualified[1]! } : {}),
    paths: [joined],
    // A title may hold a slash or a colon, so the whole body is a name too.
    ...(path.startsWith('.') || path.startsWith('/') ? {} : { name: stripMarkdown(qualified ? path : body) }),
    ...(anchor ? { anchor } : {}),
    ...(isFile(joined) ? { file: true } : {}),
  };
}

/**
 * Target of a markdown link or image. A path that begins with a slash counts from the root; one with a markdown
 * ending or a dot counts from the page's folder first, and a bare one from the root first, as the engines' authors
 * write both.
 */
export function parseLinkTarget(written: string, fromSlug: string): Target | undefined {
  const bare = written.trim();
  if (bare === '' || bare.startsWith('#') || SCHEME.test(bare)) return undefined;
  const hash = bare.indexOf('#');
  const anchor = hash < 0 ? undefined : decode(bare.slice(hash + 1));
  const path = decode((hash < 0 ? bare : bare.slice(0, hash)).replace(/\?.*$/, ''));
  if (path === '' || path.includes('\\')) return undefined;
  const fromRoot = joinPath('', path.replace(/^\/+/, ''));
  const fromFolder = path.startsWith('/') ? undefined : joinPath(folderOf(fromSlug), path);
  const relativeFirst = path.startsWith('.') || MARKDOWN.test(path) || isFile(path) || !/[^/]\/[^/]/.test(path);
  const ordered = relativeFirst ? [fromFolder, path.startsWith('.') ? undefined : fromRoot] : [fromRoot, fromFolder];
  const paths = ordered.filter((candidate): candidate is string => Boolean(candidate)).flatMap(pageOfFolder(path));
  if (paths.length === 0) return undefined;
  return { paths: [...new Set(paths)], ...(anchor ? { anchor } : {}), ...(isFile(path) ? { file: true } : {}) };
}

/** A bare `dir/slug`, or a source file with its line taken off. */
export function parseBarePath(written: string): Target {
  return { paths: [written.replace(/:\d+(?:[-:]\d+)?$/, '')] };
}

/** A value of a frontmatter link field: a wikilink, a markdown link, a path or a plain name. */
export function parseFieldTarget(value: string, fromSlug: string): Target | undefined {
  const text = value.trim();
  const wiki = /^!?\[\[([^[\]|\n]+)(?:\|[^[\]\n]*)?\]\]$/.exec(text);
  if (wiki) return parseWikiTarget(wiki[1]!, fromSlug);
  const link = /^\[[^[\]\n]*\]\(([^()\s]+)\)$/.exec(text);
  if (link) return parseLinkTarget(link[1]!, fromSlug);
  // YAML takes the brackets off a wikilink that stands without quotes, and leaves its label.
  return text.length > 500 ? undefined : parseWikiTarget(text.replace(/[#|].*$/s, ''), fromSlug);
}

/** A link to a folder means its index or its readme. */
function pageOfFolder(path: string): (candidate: string) => string[] {
  if (!path.endsWith('/')) return (candidate) => [candidate];
  return (candidate) => {
    const folder = candidate.replace(/\/+$/, '');
    return [`${folder}/index`, `${folder}/readme`];
  };
}

function isFile(path: string): boolean {
  return IMAGE.test(path) || OTHER_FILE.test(path) || CODE.test(path);
}

function stripMarkdown(name: string): string {
  return name.replace(MARKDOWN, '');
}

function folderOf(slug: string): string {
  return slug.slice(0, Math.max(0, slug.lastIndexOf('/')));
}

/** `path` seen from `folder`; undefined when it climbs above the root. */
function joinPath(folder: string, path: string): string | undefined {
  const segments = folder === '' ? [] : folder.split('/');
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  const joined = segments.join('/');
  return path.endsWith('/') ? `${joined}/` : joined;
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // A percent sign that begins no escape is a percent sign.
    if (error instanceof URIError) return text;
    throw error;
  }
}
