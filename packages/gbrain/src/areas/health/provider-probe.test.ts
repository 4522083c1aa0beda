// The probe of the embedding provider: never without being named, never unpaid work without a yes, one request then.
import { OWNER, testHost } from '@gbrain/testkit/host';
import { type ProviderAnswer, startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { openTestPglite } from '@gbrain/testkit/stores';
import { expect, test } from 'vitest';

interface Report {
  checks: {
    name: string;
    status: string;
    message: string;
    readiness?: object;
    fix?: { argv?: string[]; consent?: string[] };
  }[];
}

const NAMED = { only: ['embedding_provider'] };

test('doctor tells of a provider without calling it, and calls it once when it was named and agreed to', async () => {
  const place = await openTestPglite();
  let answer: ProviderAnswer | undefined;
  const provider = await startScriptedProvider(() => answer);
  try {
    const embedding = { embedding_model: 'openai:text-embedding-3-small', embedding_dimensions: '256' };
    const host = testHost(place.store, { settings: { ...provider.settings, ...embedding } });
    const told = await host.ok<Report>('run_doctor', NAMED);
    expect(told.checks).toMatchObject([{ status: 'ok', message: expect.stringContaining('not probed') }]);
    expect(told.checks[0]!.fix).toMatchObject({ consent: ['paid', 'egress'] });
    const line = told.checks[0]!.fix!.argv!.join(' ');
    expect(line).toContain('doctor --only embedding_provider --probe');
    expect(line).toContain('--yes');
    const refused = await host.refused('run_doctor', { ...NAMED, probe: true });
    expect(refused).toMatchObject({ code: 'confirmation_required' });
    expect(provider.hits).toEqual([]);
    const probe = async () => {
      const outcome = await host.call('run_doctor', { ...NAMED, probe: true }, OWNER, { approval: { yes: true } });
      return outcome.kind === 'ok' ? (outcome.output as Report).checks[0]! : outcome;
    };
    expect(await probe()).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/answered in \d+ ms with 256/),
    });
    expect(provider.hits.map(({ texts }) => texts)).toEqual([['probe']]);
    answer = { status: 401 };
    expect(await probe()).toMatchObject({ status: 'warn', message: expect.stringContaining('refused the key') });
    const keyless = await testHost(place.store).ok<Report>('run_doctor', { ...NAMED, probe: true });
    expect(keyless.checks).toMatchObject([{ status: 'ok', message: 'no embedding model can be called' }]);
    expect(host.faults).toEqual([]);
  } finally {
    await provider.close();
    await place.remove();
  }
});
