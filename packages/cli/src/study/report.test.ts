import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Visit } from '@pronghorn/core/schemas';
import { remoteApi } from '../connection/remote-service.ts';
import { hasContainers, readMeasured, resourcesOf, studyVisit } from './report.ts';

/** A service with these documents, each with its status. */
async function service(t: TestContext, documents: Record<string, [status: number, body: object]>) {
  const server = createServer(({ url = '' }, reply) => {
    const [status, body] = documents[url.replace('/api/v1', '')] ?? [
      404,
      { type: 'urn:pronghorn:problem:not-found', title: 'Not found', detail: url, status: 404 },
    ];
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return remoteApi({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: null });
}

const visit = (given: Partial<Visit>) =>
  ({
    ...{ id: 'v', siteId: '1', condition: 'native', view: 'cold', roundNumber: 1, slot: 0, startedAt: '2026-11-23T08:00:00Z', wallMs: 9 },
    ...{ counted: true, link: null, environmentId: null, outcome: { verdict: 'valid', metrics: { onLoad: 1 } } },
    ...given,
  }) as Visit;

test('of visits those are kept that count, and all that are invalid', () => {
  assert.equal(studyVisit(visit({ counted: false })), undefined);
  assert.equal(studyVisit(visit({}))?.verdict, 'valid');
  const invalid = studyVisit(visit({ counted: false, outcome: { verdict: 'invalid', reason: 'busy-machine', detail: '' } }));
  assert.deepEqual(invalid?.verdict === 'invalid' && [invalid.reason, invalid.counted], ['busy-machine', false]);
});

test('a campaign is read page by page, with the environment of its first visit that has one', async (t) => {
  const page = (items: object[], nextCursor: string | null = null): [number, object] => [200, { items, nextCursor }];
  const api = await service(t, {
    '/campaigns/7': [200, { id: '7', spec: { views: ['cold', 'warm'] } }],
    '/campaigns/7/visits?limit=500': page([visit({}), visit({ view: 'warm' })], 'a b'),
    '/campaigns/7/visits?limit=500&cursor=a+b': page([visit({ id: 'w', environmentId: 'e' })]),
    '/campaigns/7/discoveries?limit=500': page([]),
    '/campaigns/7/link-checks?limit=500': page([]),
    '/adoption': [200, { unit: 'site', months: [] }],
    '/environments/e': [200, { id: 'e' }],
  });
  const { visits, environment } = await readMeasured(api, '7');
  assert.deepEqual(
    visits.map(({ id }) => id),
    ['v', 'w'],
  );
  assert.equal(environment?.id, 'e');
});

test('containers are there while a runner with them is; requests that were removed are none', async (t) => {
  const runner = (state: string, isolations?: string[]) => ({ state, capabilities: { isolations } });
  const among = async (...items: object[]) => hasContainers(await service(t, { '/runners?limit=500': [200, { items, nextCursor: null }] }));
  assert.equal(await among(runner('alive'), runner('lost', ['container'])), false);
  assert.equal(await among(runner('alive'), runner('busy', ['process', 'container'])), true);
  const api = await service(t, {
    '/visits/v/resources': [410, { type: 'urn:pronghorn:problem:contents-removed', title: 'Gone', detail: 'Removed.', status: 410 }],
  });
  assert.equal(await resourcesOf(api, 'v'), null);
});
