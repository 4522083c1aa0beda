// The embedding model that `init` is given: kept and told, refused before anything is made.
import { HomeInProcess } from '@gbrain/testkit/home-in-process';
import { expect, test } from 'vitest';

test('a model is kept in the file of the home; what cannot be is refused with its reason', async () => {
  await using home = await HomeInProcess.withBrain();
  const init = (...words: string[]) => home.document(['init', ...words]);
  const unknown = await init('--embedding-model', 'nobody:model');
  expect(unknown.body).toMatchObject({ code: 'invalid_params', message: expect.stringContaining('openai') });
  const both = await init('--no-embedding', '--embedding-model', 'openai:text-embedding-3-small');
  expect(both.body).toMatchObject({ code: 'invalid_params' });
  const kept = await init('--embedding-model', 'ollama:nomic-embed-text', '--embedding-dimensions', '256');
  expect(kept.body).toMatchObject({
    status: 'success',
    embedding_check: { ok: true, skipped: 'not_probed', model: 'ollama:nomic-embed-text' },
  });
  expect((await home.document(['config', 'get', 'embedding_dimensions'])).body).toMatchObject({
    settings: [{ value: '256', plane: 'file' }],
  });
  const keyless = await init('--embedding-model', 'openai:text-embedding-3-small');
  expect(keyless.body).toMatchObject({ embedding_check: { ok: false, reason: 'key_missing' } });
});
