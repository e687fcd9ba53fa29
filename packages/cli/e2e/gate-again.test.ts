// A gate that holds a page against its campaigns before.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { proves, quickBrowser, thoroughly } from '@pronghorn/core/testing';
import { quickLimits, run, temporaryData } from './command.ts';
import { madeService } from './made-service.ts';

test('a page that looks slower than before is measured a second time, and fails when that confirms it', proves('gates'), async (t) => {
  const { gate } = await gated(t, 200, async () => true);
  const slow = await gate('--branch', 'slower');
  assert.equal(slow.code, 1, slow.stdout + slow.stderr);
  assert.match(
    slow.stderr,
    /a second run is measured to\s+confirm it\..*A check against the baseline seems to fail\. A second run decides: 2 rounds more\./s,
  );
  const { campaign: second, result } = JSON.parse(slow.stdout);
  assert.deepEqual([second.id, second.annotations.repeats, result.baseline.otherRun, result.baseline.campaigns.length], ['7', '6', '6', 5]);
  assert.match(result.checks[0].words, /Campaign 6, the other run, confirms it \(p = 0\.048\)\./);
});

test(
  'a page that only the first run finds slower passes, and a run that is judged later names the second',
  thoroughly('gates'),
  async (t) => {
    const { gate, folder, config } = await gated(t, 2_000, async (service) => (await service.campaign('7')).id !== '7');
    const unlucky = await gate('--branch', 'unlucky');
    assert.equal(unlucky.code, 0, unlucky.stdout + unlucky.stderr);
    const judged = await run(['gate', '--config', config, '--data', folder, '--campaign', '6']);
    assert.equal(judged.code, 3);
    assert.match(judged.stderr, /A second run would decide: \.\/pronghorn gate --config \S+ --url \S+ --repeat 6 --data \S+\n/);
  },
);

/**
 * @param baselineMs the page's onLoad in five campaigns before; no machine loads a slow one sooner than twice that
 * @param isSlow whether the page is slower than in those
 */
async function gated(t: TestContext, baselineMs: number, isSlow: (service: Awaited<ReturnType<typeof madeService>>) => Promise<boolean>) {
  const folder = await temporaryData((remove) => t.after(remove));
  const server = createServer(async (request, response) => {
    if (request.url === '/' && (await isSlow(service))) await delay(2.2 * baselineMs);
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const campaign = { sites: [{ url }], protocols: ['h1' as const], browser: quickBrowser, rounds: 2, limits: quickLimits };
  const service = await madeService(t, baselineMs, { database: join(folder, 'pronghorn.db') });
  for (let made = 0; made < 5; made++) await service.done({ ...campaign, annotations: { branch: 'main' } });

  const config = join(folder, 'pronghorn.json');
  const { sites: _, ...measured } = campaign;
  await writeFile(config, JSON.stringify({ ...measured, assertions: ['onLoad median <= baseline + 100 %'] }));
  const gate = (...options: string[]) => run(['gate', '--config', config, '--data', folder, '--url', url, '--format', 'json', ...options]);
  return { gate, folder, config };
}
