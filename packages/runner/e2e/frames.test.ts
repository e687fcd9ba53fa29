import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { defaultLimits } from '@pronghorn/core/schemas';
import { deriveResources } from '../src/derive/resources.ts';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import { openLink } from '../src/link/link.ts';

// 127.0.0.1 and localhost are different sites: Chrome puts the frame into a process, and a DevTools session, of its own.
test('what frames of other sites and workers request is part of the visit', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const send = (type: string, body: string) => response.writeHead(200, { 'content-type': type }).end(body);
    switch (request.url) {
      case '/':
        return send('text/html', `<link rel="icon" href="data:,"><h1>Top</h1><iframe src="http://localhost:${port}/frame"></iframe>`);
      case '/frame':
        return send('text/html', '<p>Frame</p><img src="/frame-1.svg"><img src="/frame-2.svg"><script>new Worker("/worker.js")</script>');
      case '/worker.js':
        return send('text/javascript', 'fetch("/from-worker.svg")');
      default:
        return send('image/svg+xml', svg);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const link = await openLink({ choice: 'direct', conditions: [], outside: false });
  const engine = puppeteerEngine(undefined, link.vantagePoint);
  try {
    const load = { protocol: 'h1', discovery: 'forced', forced: [], view: 'cold', isolation: 'process', browser: 'chrome' } as const;
    const { evidence } = await engine.load({ ...load, url: `http://127.0.0.1:${port}/`, limits: { ...defaultLimits, foreignCpuShare: 1 } });
    assert.equal(evidence.end.kind, 'quiet');
    const resources = deriveResources(evidence);
    const paths = resources.map(({ url }) => new URL(url).pathname).sort();
    assert.deepEqual(paths, [...asked].sort());
    assert.deepEqual(paths, ['/', '/frame', '/frame-1.svg', '/frame-2.svg', '/from-worker.svg', '/worker.js']);
    for (const { url, endMs, status, protocol } of resources) {
      assert.ok(endMs !== null && status === 200 && protocol === 'http/1.1', url);
    }
  } finally {
    await engine.close();
    await link.close();
    server.close();
  }
});
