import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offloadsOn } from './shaper.ts';

test('what is on is found, also what can’t be changed, and nothing that only sounds alike', () => {
  const listing = `Features for link0:
rx-checksumming: on
tcp-segmentation-offload: off
	tx-tcp-segmentation: on
generic-segmentation-offload: on
generic-receive-offload: on
large-receive-offload: off [fixed]
tx-udp-segmentation: on
rx-gro-hw: on
rx-gro-list: on [fixed]
`;
  assert.deepEqual(offloadsOn(listing), ['generic-segmentation-offload', 'generic-receive-offload', 'tx-udp-segmentation', 'rx-gro-list']);
});
