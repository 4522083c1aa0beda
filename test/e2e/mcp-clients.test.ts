// The official clients of every revision over a spawned server: lists, calls, widening, resources, notices.
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { bodyOf, connectClient, envelopeOf, REVISIONS, type TestClient } from '@gbrain/testkit/mcp-clients';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

for (const revision of REVISIONS) {
  describe(`the official client at ${revision}`, () => {
    const isModern = revision === '2026-07-28';
    let home: GbrainHome;
    let client: TestClient;
    beforeAll(async () => {
      home = await GbrainHome.withBrain();
      client = await connectClient(home, revision, ['--surface', 'starter']);
    });
    afterAll(async () => {
      await client.close();
      await home[Symbol.asyncDispose]();
    });

    test('learns who serves and how errors are read', () => {
      expect(client.serverInfo()).toMatchObject({ name: 'gbrain', version: '0.1.0' });
      expect(client.instructions()).toMatch(/fix\.next/);
      expect(client.instructions()).toMatch(/\[gbrain notice/);
    });

    test('lists the starter surface; call_tool only where the list may not change', async () => {
      const names = (await client.tools()).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['put_page', 'get_page', 'edit_page', 'request_tools', 'whoami']));
      expect(names).not.toContain('delete_page');
      expect(names).not.toContain('gbrain_status');
      expect(names.includes('call_tool')).toBe(isModern);
    });

    test('instructions name no tool that is not listed', async () => {
      const names = new Set((await client.tools()).map(({ name }) => name));
      const named = client.instructions()!.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
      const allowed = new Set(['user_message', 'tell_user_to_run', 'ask_user', 'expected_revision']);
      expect(named.filter((one) => !names.has(one) && !allowed.has(one))).toEqual([]);
    });

    test('writes, reads, edits and lists pages', async () => {
      const written = bodyOf(await client.call('put_page', { slug: 'people/alice', content: '# Alice\n\nAt Acme.\n' }));
      expect(written).toMatchObject({ state: 'committed', status: 'created', slug: 'people/alice' });
      const page = bodyOf(await client.call('get_page', { slug: 'people/alice' }));
      expect(page).toMatchObject({ revision: written.revision, trust_tier: 'agent_written' });
      const edits = [{ old_text: 'At Acme.', new_text: 'Left Acme.' }];
      const edited = bodyOf(
        await client.call('edit_page', { slug: 'people/alice', expected_revision: written.revision, edits }),
      );
      expect(edited.revision).not.toBe(written.revision);
      const again = bodyOf<{ content: string }>(
        await client.call('get_page', { slug: 'people/alice', content_only: true }),
      );
      expect(again.content).toBe('# Alice\n\nLeft Acme.\n');
      expect(bodyOf<{ slug: string }[]>(await client.call('list_pages'))).toMatchObject([{ slug: 'people/alice' }]);
    });

    test('asks the first-run question on the second success, once', async () => {
      await using other = await GbrainHome.withBrain();
      const fresh = await connectClient(other, revision);
      const first = await fresh.call('list_pages');
      expect(first.content).toHaveLength(1);
      expect((await fresh.call('get_page', { slug: 'nobody' })).isError).toBe(true);
      const second = await fresh.call('list_pages');
      expect(second.content).toHaveLength(2);
      expect(second.content[1]!.text.split('\n')[0]).toBe('[gbrain notice first_run_decisions kind=ask]');
      expect(second._meta?.gbrain_notices).toMatchObject([{ code: 'first_run_decisions', contract_version: 1 }]);
      // Over MCP the machine's own settings are not asked.
      const [{ decisions }] = second._meta!.gbrain_notices as [{ decisions: { id: string }[] }];
      expect(decisions.map(({ id }) => id)).toEqual(['writeback']);
      expect((await fresh.call('list_pages')).content).toHaveLength(1);
      await fresh.close();
    });

    test('reaches a tool outside its surface as the refusal says', async () => {
      await client.call('put_page', { slug: 'inbox/old', content: '# Old\n' });
      const seen = client.listChanges();
      const { code, fix } = envelopeOf(await client.call('delete_page', { slug: 'inbox/old' }));
      expect(code).toBe('unknown_tool');
      expect(fix).toMatchObject({ next: 'run', actor: 'agent' });
      expect(fix!.mcp).toEqual(
        isModern
          ? { tool: 'call_tool', arguments: { name: 'delete_page', arguments: { slug: 'inbox/old' } } }
          : { tool: 'request_tools', arguments: { surface: 'full' } },
      );
      const done = bodyOf(await client.call(fix!.mcp!.tool, fix!.mcp!.arguments));
      if (isModern) {
        expect(done).toMatchObject({ status: 'deleted', slug: 'inbox/old' });
        expect((await client.tools()).map(({ name }) => name)).not.toContain('delete_page');
        expect(client.listChanges()).toBe(seen);
      } else {
        expect(done).toMatchObject({ persisted: false, scope: 'session', surface: 'full', previous: 'starter' });
        await client.changed(seen);
        expect((await client.tools()).map(({ name }) => name)).toContain('delete_page');
        expect(bodyOf(await client.call('delete_page', { slug: 'inbox/old' }))).toMatchObject({ status: 'deleted' });
      }
    });

    test('reads its capabilities, and is told that another resource does not exist', async () => {
      const facts = JSON.parse(await client.read('gbrain://capabilities')) as { available_operations: string[] };
      expect(facts).toMatchObject({ transport: 'stdio', access: 'full', source_id: 'default' });
      const names = (await client.tools()).map(({ name }) => name);
      expect(facts.available_operations).toEqual(names);
      await expect(client.read('gbrain://nothing')).rejects.toThrow(/gbrain:\/\/nothing/);
    });
  });
}
