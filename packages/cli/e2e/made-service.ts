// A real service on the loopback, whose campaigns are performed as soon as they are created: the test sets the time of every load.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { CampaignRequest, GateRequest, Lease, TokenScope } from '@pronghorn/core/schemas';
import { sampleMetrics, sampleVisit } from '../../api/src/testing/samples.ts';
import { testApi, testFolder } from '../../api/src/testing/test-api.ts';

/** @param options.access tokens: requests need one */
export async function madeService(
  t: TestContext,
  onLoad: number,
  { access = 'open', database = join(testFolder(t), 'pronghorn.db') }: { access?: 'open' | 'tokens'; database?: string } = {},
) {
  const api = await testApi(t, { database });
  // Beside the service that performs, on the same database.
  const lookUp = async () => [{ address: '93.184.216.34' }];
  const { app } = access === 'open' ? api : await testApi(t, { database, access: { kind: 'tokens', lookUp } });
  app.server.on('request', ({ method, url }, reply) => {
    const isGate = method === 'POST' && url === '/api/v1/gates/check';
    reply.on('finish', () => isGate && reply.statusCode === 202 && performAll());
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  async function performAll(): Promise<void> {
    for (;;) {
      const { status, body: lease } = await api.post('/leases', { runner: 'runner' });
      if (status === 204) return;
      for (const slot of (lease as Lease).round.order) {
        const metrics = sampleMetrics({ onLoad: onLoad + lease.round.number, failedRequests: 0 });
        await api.upload(
          lease,
          sampleVisit(lease, slot, { outcome: { verdict: 'valid', metrics }, link: { refused: [], receiveDrops: 0 } }),
        );
      }
      await api.complete(lease);
    }
  }

  return {
    url: `http://127.0.0.1:${port}`,
    token: (name: string, scope: TokenScope): Promise<string> =>
      app.commit(() => app.tables.tokens.create({ name, role: 'submitter', scope }, null).token),
    /** @returns the id of a gate */
    store: async (gate: GateRequest): Promise<string> => (await api.post('/gates', gate)).body.id,
    deleteGate: (id: string) => api.delete(`/gates/${id}`),
    campaign: async (id: string) => (await api.get(`/campaigns/${id}`)).body,
    /** @returns the id of a campaign that is done */
    async done(request: Partial<CampaignRequest> = {}): Promise<string> {
      const { id } = await api.campaign({ protocols: ['h3'], rounds: 12, ...request });
      await performAll();
      return id;
    },
  };
}
