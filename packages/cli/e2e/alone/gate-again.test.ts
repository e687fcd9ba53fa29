// A gate that holds a page against its campaigns before, by times that other tests beside it would spoil.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { quickLimits, run, temporaryData } from '../command.ts';

test('a page that looks slower than before is measured a second time, and fails only when both runs are', async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  let delays = [60];
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === '/') asked += 1;
    // The second run begins after the discovery and the rounds of the first.
    setTimeout(
      () => response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>'),
      asked > roundsOfOne ? delays.at(-1) : delays[0],
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const config = join(folder, 'pronghorn.json');
  const rules = { assertions: ['onLoad median <= baseline + 100 %'] };
  await writeFile(config, JSON.stringify({ protocols: ['h1'], rounds: 2, limits: quickLimits, ...rules }));
  let roundsOfOne = Number.POSITIVE_INFINITY;
  const gate = async (...options: string[]) => {
    asked = 0;
    return run(['gate', '--config', config, '--data', folder, '--url', url, '--format', 'json', ...options]);
  };
  const before = await Promise.all(Array.from({ length: 5 }, () => gate('--branch', 'main')));
  assert.deepEqual([...new Set(before.map(({ code }) => code))], [3], before.map(({ stderr }) => stderr).join('\n'));
  const visits = asked / 5;
  delays = [1_200]; // more than a page of 60 ms takes on a busy machine
  const slow = await gate('--branch', 'slower');
  assert.equal(slow.code, 1, slow.stdout + slow.stderr);
  assert.match(
    slow.stderr,
    /a second run is measured to\s+confirm it\..*A check against the baseline seems to fail\. A second run decides: 2 rounds more\./s,
  );
  const { campaign, result } = JSON.parse(slow.stdout);
  assert.deepEqual(
    [campaign.id, campaign.annotations.repeats, result.baseline.otherRun, result.baseline.campaigns.length],
    ['7', '6', '6', 5],
  );
  assert.match(result.checks[0].words, /Campaign 6, the other run, confirms it \(p = 0\.048\)\./);

  [roundsOfOne, delays] = [visits, [1_200, 60]];
  const unlucky = await gate('--branch', 'unlucky');
  assert.equal(unlucky.code, 0, unlucky.stdout + unlucky.stderr);
  const judged = await run(['gate', '--config', config, '--data', folder, '--campaign', '8']);
  assert.equal(judged.code, 3);
  assert.match(judged.stderr, /A second run would decide: \.\/pronghorn gate --config \S+ --url \S+ --repeat 8 --data \S+\n/);
});
