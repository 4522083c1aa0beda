// How a model is told whether a text is a query or a document: by a parameter of its family, or by words before the
// text. Pure; the version of the prefixes is part of a profile's signature.

/** What a text is embedded for. */
export type EmbedRole = 'query' | 'document';

/** Words that model families were trained with. Source: their model cards. */
const PREFIXES: readonly [model: RegExp, query: string, document: string][] = [
  [/nomic-embed/i, 'search_query: ', 'search_document: '],
  [/embeddinggemma/i, 'task: search result | query: ', 'title: none | text: '],
  [/(?:^|[/-])e5-|multilingual-e5/i, 'query: ', 'passage: '],
  [/mxbai-embed|bge-(?:small|base|large)-en/i, 'Represent this sentence for searching relevant passages: ', ''],
  [
    /qwen3-embedding/i,
    'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
    '',
  ],
];

/** A text as a model without a parameter for it wants it. */
export function withRole(model: string, role: EmbedRole, text: string): string {
  const found = PREFIXES.find(([pattern]) => pattern.test(model));
  return found ? `${role === 'query' ? found[1] : found[2]}${text}` : text;
}
