import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveResources } from '../src/derive/resources.ts';
import { html, openPages } from './pages.ts';

// 127.0.0.1 and localhost are different sites: Chrome gives the frame its own process, and its own DevTools session.
test('what frames of other sites and workers request is part of the visit', async (t) => {
  const pages = await openPages(t, {
    '/': ({ socket }, response) => html(response, `<h1>Top</h1><iframe src="http://localhost:${socket.localPort}/frame"></iframe>`),
    '/frame': '<p>Frame</p><img src="/frame-1.svg"><img src="/frame-2.svg"><script>new Worker("/worker.js")</script>',
    // The worker does not read this body: Chrome fetches all of it only if it may cache it.
    '/from-worker.svg': (_, response) =>
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    '/worker.js': (_, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end('fetch("/from-worker.svg")'),
  });
  const evidence = await pages.load('/', { limits: { foreignCpuShare: 1 } });
  assert.equal(evidence.end.kind, 'quiet');
  const resources = deriveResources(evidence);
  const paths = resources.map(({ url }) => new URL(url).pathname).sort();
  assert.deepEqual(paths, pages.seen.map(({ path }) => path).sort());
  assert.deepEqual(paths, ['/', '/frame', '/frame-1.svg', '/frame-2.svg', '/from-worker.svg', '/worker.js']);
  for (const { url, endMs, status, protocol } of resources) {
    assert.ok(endMs !== null && status === 200 && protocol === 'http/1.1', url);
  }
});
