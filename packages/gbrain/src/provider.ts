// The kind of file that declares a model provider family: `areas/<area>/<name>.provider.ts`.

/** What a provider family offers and how it is told that it is configured. */
export interface Provider {
  name: string;
  /** One sentence for the docs. */
  summary: string;
  requirement: string;
  touchpoints: readonly ('embedding' | 'chat' | 'rerank')[];
  /** Environment variable that holds its key; absent for local programs that need none. */
  keyEnv?: string;
}

/** Declares a provider family; the default export of its file. */
export const defineProvider = (provider: Provider): Provider => provider;
