// What is found of a page that holds a credential: the owner reads it, everybody else reads that one was there.
import { AGENT, OWNER, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { expect, test } from 'vitest';

// Put together here, so that no scanner takes this file for a leak.
const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;

eachStore('a credential in a page', (given) => {
  test('is struck out of every text that is found, however it is cut, and the page itself stays as it is', async () => {
    const host = testHost(given().store);
    const content = `# Deploys\n\nThe harbour deploy uses ${KEY} on every release of the harbour.\n`;
    await host.ok('put_page', { slug: 'notes/deploys', content }, OWNER);
    const hits = [{ source_id: 'default', slug: 'notes/deploys', chunk_id: 0 }];
    const asks: [string, Record<string, unknown>][] = [
      ...[20, 40, 60, 400].map((snippet_chars): [string, object & Record<string, unknown>] => [
        'search',
        { query: 'harbour deploy release', snippet_chars },
      ]),
      ['search', { query: 'harbour deploy', return_unit: 'page' }],
      ['query', { query: 'harbour deploy' }],
      ['recall', { query: 'harbour deploy' }],
      ['assemble_evidence', { hits }],
      ['assemble_evidence', { hits, token_budget: 16 }],
    ];
    for (const [operation, input] of asks) {
      const text = JSON.stringify(await host.ok(operation, input, AGENT));
      expect(text, operation).toContain('notes/deploys');
      expect(text, operation).not.toMatch(/ghp_/);
    }
    const [own] = await host.ok<{ chunk_text: string }[]>('search', { query: 'harbour deploy release' }, OWNER);
    expect(own!.chunk_text).toContain(KEY);
    const { results } = await host.ok<{ results: { chunk_text: string }[] }>('assemble_evidence', { hits }, AGENT);
    expect(results[0]!.chunk_text).toContain('[redacted github_token]');
    expect(JSON.stringify(await host.ok('get_page', { slug: 'notes/deploys' }, AGENT))).toContain(KEY);
  });
});
