// Facts of a page: the fence in its text is their one home, and its rows are written in the page's own commit.
import { definePart } from '../../part.ts';
import { replacePageFacts } from './facts.sql.ts';
import { factsOfText, type PageFact } from './page-facts.ts';
import { namesOf } from './statement.ts';

interface PageFacts {
  at: Date;
  facts: PageFact[];
}

export default definePart<PageFacts>({
  name: 'facts',
  summary: 'Facts that the facts fence of a page states.',
  requirement: 'facts/engine A.2, A.8',
  derive: ({ text, at, slug, page }) => {
    const own = { title: page.title, names: namesOf(slug, page.title, ...page.aliases) };
    return { at, facts: factsOfText(text, own) };
  },
  write: (key, { at, facts }) => replacePageFacts(key, facts, at),
  reply: ({ facts }) => (facts.length === 0 ? {} : { facts: facts.filter((fact) => !fact.is_over).length }),
});
