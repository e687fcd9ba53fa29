// Commands whose links end in the network that they run in: Chrome takes an interface that comes or goes for another network, and gives up what it loads.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { behindLink, descendants, leavesNothing, quickShell, run, start, temporaryData, until } from '../../command.ts';
import { measuredCalls, shaping } from '../../conditions.ts';
import { measuresItsOwn } from '../../served-demo.ts';
import { reported, study } from '../../two-sites.ts';

test('calls of a server on this machine, behind a link that delays each of them', { ...proves('rest-calls', 'link'), ...shaping }, (t) =>
  measuredCalls(t, 'latency-50', 50),
);

test('behind a link it is stopped, resumed, and ends with its report', proves('studies', 'campaigns'), async (t) => {
  const { data, command } = await study(t);
  const limited = [...command, '--limit', '2', '--conditions', 'native,latency-50'];
  const stopped = start([...limited, ...quickShell, '--no-evidence'], behindLink);
  await stopped.says(/^5\/12 visits/m, 300_000);
  stopped.child.kill('SIGINT');
  const { code, stderr } = await stopped.ended;
  assert.equal(code, 130, stderr);
  assert.match(stderr, /Continue with: \.\/pronghorn resume 1/);

  const resumed = await run(['resume', '--no-evidence', '--data', data], behindLink);
  assert.equal(resumed.code, 0, resumed.stderr);
  const report = await reported(data, resumed.stdout);
  assert.match(report, /2 sites × 2 conditions × HTTP\/1\.1, HTTP\/2, HTTP\/3 × 1 round\.\s+12 valid visits/);
  assert.match(report, /RTT 5\d(\.\d+)? ms/);
});

test('serve --demo measures pages of its own behind a link', { ...proves('demo', 'service'), ...shaping, timeout: 900_000 }, (t) =>
  measuresItsOwn(t, {}),
);

test('serve --demo that is ended while it starts leaves nothing', proves('demo', 'service'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const service = start(['serve', '--demo', '--port', '0', '--data', data], behindLink);
  await until(() => existsSync(join(data, 'origin', 'runs')), 60_000, 'the origin to start');
  const below = descendants(service.pid);
  service.child.kill('SIGINT');
  const { code, stderr } = await service.ended;
  assert.equal(code, 0, stderr);
  await leavesNothing('/nowhere', below);
});
