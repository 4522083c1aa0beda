import { testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { expect, test } from 'vitest';

eachStore('put_page', (given) => {
  test('writes, refuses a blind overwrite, and takes the named revision', async () => {
    const host = testHost(given().store);
    const first = await host.ok('put_page', { slug: 'people/alice', content: '# Alice\n\nText.\n' });
    expect(first).toMatchObject({ state: 'committed', slug: 'people/alice', status: 'created', source_id: 'default' });
    const page = await host.ok('get_page', { slug: 'people/alice', content_only: true });
    expect(page).toMatchObject({
      content: '# Alice\n\nText.\n',
      revision: first.revision,
      type: 'person',
      title: 'Alice',
    });
    const refused = await host.refused('put_page', { slug: 'people/alice', content: '# Alice\n' });
    expect(refused).toMatchObject({ code: 'revision_required', detail: `current_revision=${first.revision}` });
    const same = await host.ok('put_page', { slug: 'people/alice', content: '# Alice\n\nText.\n' });
    expect(same).toMatchObject({ status: 'unchanged', revision: first.revision });
    const next = await host.ok('put_page', {
      slug: 'people/alice',
      content: '# A\n',
      expected_revision: first.revision,
    });
    expect(next).toMatchObject({ status: 'updated' });
    expect(await host.ok('list_pages', {})).toMatchObject([{ slug: 'people/alice', title: 'A' }]);
    expect(host.faults).toEqual([]);
  });
});
