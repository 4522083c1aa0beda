// Which questions are walks over links, and which are left to the text.
import { describe, expect, it } from 'vitest';
import { readRelation } from './relations.ts';

function read(query: string): string {
  const relation = readRelation(query);
  if (!relation) return '-';
  return [relation.seed, ...relation.hops.map((hop) => `${hop.direction}:${hop.types[0]}`)].join(' ');
}

describe('relational questions', () => {
  it.each([
    ['Who works at Quill Optics?', 'quill optics in:works_at'],
    ['people at Quill Optics', 'quill optics in:works_at'],
    ["who's at Quill Optics", 'quill optics in:works_at'],
    ['who invested in Quill Optics?', 'quill optics in:invested_in'],
    ['investors in Quill Optics', 'quill optics in:invested_in'],
    ["Quill Optics' investors", 'quill optics in:invested_in'],
    ['who founded Quill Optics?', 'quill optics in:founded'],
    ['who advises Quill Optics?', 'quill optics in:advises'],
    ['what did Mira Kettle invest in?', 'mira kettle out:invested_in'],
    ['where does Mira Kettle work?', 'mira kettle out:works_at'],
    ["Mira Kettle's colleagues", 'mira kettle out:works_at in:works_at'],
    ['who attended the Quill pricing review on 2025-06-06?', 'the quill pricing review on 2025-06-06 in:attended'],
    ['what meetings did Mira Kettle attend?', 'mira kettle out:attended'],
    ['who did Mira Kettle meet?', 'mira kettle out:attended in:attended'],
    ['who works at companies Mira Kettle invested in?', 'mira kettle out:invested_in in:works_at'],
    ['investors of the company where Mira Kettle works', 'mira kettle out:works_at in:invested_in'],
    ['who advises companies founded by Mira Kettle', 'mira kettle out:founded in:advises'],
    ['who works at it?', '-'],
    ['what do we know about pricing', '-'],
    ['why did the ferry model break', '-'],
    ['', '-'],
  ])('%s', (query, expected) => expect(read(query)).toBe(expected));
});
