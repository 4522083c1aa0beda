// An answer kept as a page: what was asked, what was answered, what is not known, and the pages that it stands on. The
// page says that a model concluded it; an answer from private pages stays private.
import type { Context } from '../../context.ts';
import { denialOf } from '../../pipeline/access.ts';
import { decidePut } from '../pages/decide-write.ts';
import { provenanceOf } from '../pages/provenance.ts';
import { parseSlug, type Slug, slugFromTitle } from '../pages/slug.ts';
import { writePage } from '../pages/write-page.ts';
import type { Synthesis } from './compose.ts';

/** Longest part of the question in a slug. Source: facts/engine F.1. */
const SLUG_CHARS = 60;

/** Ends the call before a model is asked, where the caller may not write. */
export function requireWriter(ctx: Context<string>): void {
  const write = ctx.host.registry.operation('put_page');
  if (denialOf(write, ctx.caller)) ctx.fail('permission_denied', { tool: 'think', what: 'Saving an answer' });
}

function slugOf(question: string, day: string): Slug {
  const words = slugFromTitle(question).slice(0, SLUG_CHARS).toWellFormed();
  const parsed = parseSlug(`synthesis/${words.replace(/[^\p{L}\p{N}]+$/u, '')}-${day}`);
  if (parsed.ok) return parsed.slug;
  return slugFromTitle(`answer-${day}`, 'synthesis' as Slug);
}

const field = (name: string, value: string): string => `${name}: ${JSON.stringify(value)}`;

function pageOf(question: string, { answer, gaps, sources }: Synthesis, isPrivate: boolean): string {
  const list = (heading: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `## ${heading}`, '', ...lines.map((line) => `- ${line}`)];
  return [
    '---',
    field('title', question.replace(/\s+/g, ' ').slice(0, 200).toWellFormed()),
    'type: synthesis',
    ...(isPrivate ? ['visibility: private'] : []),
    '---',
    answer,
    ...list('Not known', gaps),
    ...list(
      'Sources',
      sources.map((slug) => `[[${slug}]]`),
    ),
    '',
  ].join('\n');
}

/** Keeps an answer; the same question on the same day has one page. An answer that stands on nothing is not kept. */
export async function saveAnswer(
  ctx: Context,
  question: string,
  found: Synthesis,
): Promise<{ saved_slug?: string; warnings: string[] }> {
  if (found.synthesis_status !== 'ok' || found.sources.length === 0) {
    return { warnings: [...found.warnings, 'NOT_SAVED: only a written answer that cites a page is kept'] };
  }
  const content = pageOf(question, found, ctx.scope.visibility === 'all');
  const provenance = provenanceOf(ctx, 'think', { content_origin: 'inferred' });
  const reply = await writePage(ctx, {
    operation: 'think',
    slug: slugOf(question, ctx.now().toISOString().slice(0, 10)),
    input: { question, save: true, answer: found.answer },
    decide: (page, asker) => {
      const put = { ...asker, content, force: true, allowEmpty: false, dropTimeline: false };
      const change = decidePut(page, put);
      return change.kind === 'put' ? { ...change, provenance } : change;
    },
  });
  return { saved_slug: reply.slug, warnings: found.warnings };
}
