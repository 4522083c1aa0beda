// Block structure as CommonMark has it, as far as links and chunks depend on it.

import { expect, test } from 'vitest';
import { scanLines } from './lines.ts';

const check = (text: string, expected: string) => {
  const kinds = scanLines(text).lines.map(({ kind, level }) => (level > 0 ? `${kind}${level}` : kind));
  expect(kinds.join(' ')).toBe(expected);
};

test.each([
  ['# A\ntext\nmore\n\n## B', 'heading1 text text blank heading2'],
  ['#tag is no heading', 'text'],
  ['Title\n=====\n\nSub\n---\n\n---', 'heading1 rule blank heading2 rule blank rule'],
  ['two lines\nof prose\n---', 'text text rule'],
  ['- a\n- b\n  more\n1. c\n2) d', 'item item text item item'],
  ['* * *\n- - -\n***bold*** text', 'rule rule text'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', 'row row row'],
  ['> quote\n> > deep\nafter', 'text text text'],
  ['```js\ncode\n```\nafter', 'fence_open fence_body fence_close text'],
  ['````\n```\n````\nafter', 'fence_open fence_body fence_close text'],
  ['~~~\n```\n~~~', 'fence_open fence_body fence_close'],
  ['``` not `a` fence\ntext', 'text text'],
  ['```\nnever closed\n\n# still code', 'fence_open fence_body fence_body fence_body'],
  ['> ```\n> code\nout', 'fence_open fence_body text'],
  ['- a\n\n  ```\n  code\n  ```\n- b', 'item blank fence_open fence_body fence_close item'],
  ['- a\n  ```\n  code\nout', 'item fence_open fence_body text'],
  ['para\n    still para', 'text text'],
  ['para\n\n    code\n\ttab code', 'text blank code code'],
  ['- a\n\n    part of the item\n\n      code in the item', 'item blank text blank code'],
  ['<!-- a\n\nb -->\ntext', 'comment comment comment text'],
  ['<!-- one line --> text', 'text'],
  ['<pre>\n[[x]]\n\n</pre>\ntext', 'raw raw raw raw text'],
  ['<script>x</script>\ntext', 'raw text'],
  ['a\r\n\r\n# b\r\n', 'text blank heading1'],
  ['', ''],
])('%j', check);

test('fences tell their code and language', () => {
  const text = 'a\n\n```{.python #x}\nprint(1)\n```\n\n> ~~~ sh\n> ls\n';
  const fences = scanLines(text).fences.map(({ language, contentStart, contentEnd }) => [
    language,
    text.slice(contentStart, contentEnd),
  ]);
  expect(fences).toEqual([
    ['python', 'print(1)\n'],
    ['sh', '> ls\n'],
  ]);
});
