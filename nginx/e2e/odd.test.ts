import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { Origin } from '../src/index.ts';
import { handshake, overH1, overH2 } from './requests.ts';
import { firstServers, temporaryOrigin } from './temporary-origin.ts';

for (const server of firstServers) {
  describe(`on ${server}`, proves('demo', 'servers'), () => {
    let origin: Origin;
    let close: () => Promise<void>;
    before(async () => {
      ({ origin, close } = await temporaryOrigin({ server }));
    });
    after(() => close());

    /** The first bytes of an answer, as far as it goes until `enough` says so; then the connection is closed. */
    async function beginning(url: string, enough: (text: string) => boolean): Promise<string> {
      const socket = await handshake(origin, url, ['http/1.1']);
      const { host, pathname } = new URL(url);
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      let text = '';
      for await (const bytes of socket) {
        text += bytes;
        if (enough(text)) break;
      }
      return text;
    }

    test('statuses, redirects and downloads are what their names say', async () => {
      const { odd, port } = origin;
      const answers = await Promise.all(
        [odd.status404, odd.status500, odd.status503, odd.redirect, odd.redirectLoop, odd.download].map((url) => overH1(origin, url)),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 500, 503, 302, 302, 200],
      );
      assert.equal(answers[3]?.headers.location, `https://article.pronghorn.test:${port}/`);
      assert.match(answers[4]?.headers.location as string, /\/redirect-loop$/);
      assert.match(answers[5]?.headers['content-disposition'] as string, /^attachment/);
    });

    test('the endless document is a page at once, and goes on', async () => {
      const text = await beginning(origin.odd.endlessDocument, (soFar) => soFar.split('and on').length > 2);
      assert.match(text, /HTTP\/1\.1 200[\s\S]*<h1>Endless<\/h1>[\s\S]*and on[\s\S]*and on/);
    });

    test('the endless image is a whole page with a picture that trickles', async () => {
      const page = await overH1(origin, origin.odd.endlessImage);
      assert.match(page.body.toString(), /<\/html>/);
      const image = new URL('/endless.png', origin.odd.endlessImage).href;
      assert.match(await beginning(image, (soFar) => soFar.includes('IHDR')), /content-type: image\/png/i);
    });

    test('a cut-off document ends before its length', async () => {
      await assert.rejects(overH1(origin, origin.odd.cutOff), { code: 'ECONNRESET' });
    });

    test('the page of many images has 2,000, and each can be had', async () => {
      const page = await overH1(origin, origin.odd.manyImages);
      const paths = page.body.toString().match(/\/dots\/\d+\.png/g) ?? [];
      assert.equal(new Set(paths).size, 2000);
      const dots = await overH2(
        origin,
        paths.slice(0, 100).map((path) => new URL(path, origin.odd.manyImages).href),
      );
      assert.ok(dots.every(({ status, headers }) => status === 200 && headers['content-type'] === 'image/png'));
    });

    test('a path with letters outside ASCII finds its page', async () => {
      const page = await overH1(origin, origin.odd.nonAscii);
      assert.deepEqual([page.status, page.body.toString().includes('日本語')], [200, true]);
    });

    test('every other odd page is HTML, and an unknown one says what there is', async () => {
      const { scriptRedirect, metaRefresh, infiniteLoop, alert, empty, animation, openStream } = origin.odd;
      for (const url of [scriptRedirect, metaRefresh, infiniteLoop, alert, empty, animation, openStream]) {
        const page = await overH1(origin, url);
        assert.deepEqual(
          [page.status, page.headers['content-type'], page.headers['cache-control']],
          [200, 'text/html; charset=utf-8', 'no-store'],
          url,
        );
      }
      const unknown = await overH1(origin, new URL('/nothing', empty).href);
      assert.equal(unknown.status, 404);
      assert.match(unknown.body.toString(), /\/endless\.html/);
    });
  });
}
