import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeSpec } from '../../../core/fixtures/made-campaign.ts';
import { standInEngine } from '../testing/stand-in-engine.ts';
import { discoverSite } from './discover.ts';

const site = { id: 'a', url: 'https://a.example/', name: 'a', expectStatus: 200 };

test('what is found fits into what the api takes, whatever a page writes', async () => {
  const engine = standInEngine({ loadMs: 0, resources: 3_000 });
  const long = 'x'.repeat(8_000);
  const found = await discoverSite(
    {
      ...engine,
      httpsRecords: async (names) =>
        new Map(
          names.map((name) => [name, [{ priority: 1, target: '', alpn: ['h2', long.slice(0, 255), long.slice(0, 255)], port: null }]]),
        ),
      load: async (load) => {
        const { evidence, environment } = await engine.load({ ...load, protocol: 'h2' });
        let place = 0;
        const network = evidence.network.map((event) => {
          if (event.method === 'Network.requestWillBeSent' && place++ > 0)
            event.params.request.url = `https://h${place}.a.example/${place % 2 === 0 ? `${place}${long}` : ''}`;
          if (event.method === 'Network.responseReceived' && place > 1) {
            event.params.response.headers = { server: '"'.repeat(8_000), 'alt-svc': `h2=":443"; ma="${'"'.repeat(8_000)}` };
            if (place % 2 === 0) event.params.response.status = 500;
            event.params.type = 'Script';
          }
          return event;
        });
        const page = evidence.page && { ...evidence.page, hints: Array.from({ length: 200 }, (_, i) => `preconnect https://${i}.${long}`) };
        return { evidence: { ...evidence, network, page }, environment };
      },
    },
    site,
    { id: '1', spec: madeSpec({ protocols: ['h2'] }), verdicts: {}, replaces: null },
    'test',
  );
  assert.equal(found.failure, null);
  assert.deepEqual([found.hosts.length, found.broken?.length, found.hints?.length], [1_000, 1_000, 100]);
  assert.ok(Buffer.byteLength(JSON.stringify(found)) < 8 * 2 ** 20);
});
