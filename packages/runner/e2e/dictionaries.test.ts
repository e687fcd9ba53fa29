// Compression dictionaries (RFC 9842) of servers that no public authority vouches for: behind the front, in the laboratory, by --ca.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import { openLink } from '../src/link/link.ts';
import { loadOf, openVisitorWorld } from './visitor-world.ts';

test('a repeat view uses the dictionary that the first one got, as a visitor’s of a public server does', proves('visitors'), async (t) => {
  let views = 0;
  const world = await openVisitorWorld((_request, response, { path }) => {
    const isScript = path.startsWith('/lib-');
    if (path === '/') views += 1;
    response.writeHead(200, {
      'content-type': isScript ? 'text/javascript' : 'text/html',
      ...(isScript && { 'cache-control': 'max-age=3600', 'use-as-dictionary': 'match="/lib-*.js"', vary: 'available-dictionary' }),
    });
    response.end(
      isScript ? `/* ${'library '.repeat(500)} */` : `<!doctype html><title>Page</title><script src="/lib-${views}.js"></script>`,
    );
  });
  t.after(() => world.close());
  const link = await openLink({ choice: 'direct', conditions: [], outside: false });
  t.after(() => link.close());
  const engine = puppeteerEngine(world.lab(), link.vantagePoint, { ahead: false });
  t.after(() => engine.close());
  const { evidence } = await engine.load(loadOf(world.url(), undefined, { view: 'warm' }));
  assert.match(evidence.end.kind, /^(quiet|settle-cut)$/, JSON.stringify(evidence.end));
  const [first, repeated] = world.requests.filter(({ path }) => path.startsWith('/lib-'));
  assert.equal(first?.headers['available-dictionary'], undefined);
  assert.match(String(repeated?.headers['available-dictionary']), /^:.+:$/, JSON.stringify(world.requests));
  assert.match(String(repeated?.headers['accept-encoding']), /dcb/);
});
