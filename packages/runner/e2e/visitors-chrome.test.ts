// What a page meets in Pronghorn's Chrome is what it meets in everybody's.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPages } from './pages.ts';

const lazy = [1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000];

describe('a visit has the Chrome of a visitor', () => {
  test('a window without a click is blocked, and the page that tried to open it loads', async (t) => {
    const opening = (event: string) =>
      `<h1>Opens</h1><script>addEventListener('${event}', () => open('/popup'))</script><img src="/a.svg">`;
    const pages = await openPages(t, { '/early': opening('DOMContentLoaded'), '/late': opening('load'), '/popup': '<h1>Popup</h1>' });
    for (const path of ['/early', '/late']) {
      const { end, page } = await pages.load(path, { isolation: 'context', limits: { loadTimeoutMs: 10_000 } });
      assert.equal(end.kind, 'quiet', path);
      assert.ok(page !== null && page.navigation.loadEventEnd > 0);
      assert.ok(!pages.seen.some((request) => request.path === '/popup'));
    }
  });

  test('the network that a page sees, and the lazy images that it loads, follow its condition and nothing before it', async (t) => {
    const images = lazy.map(
      (top) => `<img loading="lazy" src="/${top}.svg" width="40" height="40" style="position:absolute;top:${top + 768}px">`,
    );
    const told = `<script>new Image().src = '/told?' + navigator.connection.effectiveType</script>`;
    const pages = await openPages(t, { '/': `<h1>Long</h1>${images.join('')}${told}` });
    const load = async (effectiveConnection: '4g' | '3g') => {
      await pages.load('/', { isolation: 'context', effectiveConnection });
      // Warm-up loads of a new Chrome ask for the same.
      return [...new Set(pages.seen.map(({ path }) => path))].filter((path) => path !== '/').sort();
    };
    const fast = ['/1000.svg', '/told?4g'];
    const slow = ['/1000.svg', '/1500.svg', '/2000.svg', '/told?3g'];
    const [first, second, third] = [await load('4g'), await load('3g'), await load('4g')];
    t.diagnostic(JSON.stringify([first, second, third]));
    assert.deepEqual(first, fast);
    assert.deepEqual(second, slow);
    assert.deepEqual(third, fast);
  });
});
