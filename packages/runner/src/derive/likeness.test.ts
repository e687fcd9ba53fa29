import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkEvent } from '../gather/evidence.ts';
import { likenessOf } from './likeness.ts';
import { resource } from './resource.fixture.ts';

const url = 'https://www.example.org/';

/** Of a repeat view with 100 ms to its server, as Chrome 156 reports them. */
function earlyDataOf(timing: Record<string, number> | undefined) {
  const network = [
    {
      method: 'Network.requestWillBeSent',
      params: { requestId: '1', loaderId: '1', type: 'Document', frameId: 'main', request: { url } },
    },
    {
      method: 'Network.responseReceived',
      params: {
        requestId: '1',
        loaderId: '1',
        type: 'Document',
        frameId: 'main',
        response: { url, headers: {}, ...(timing && { timing }) },
      },
    },
  ] as unknown as NetworkEvent[];
  return likenessOf({ usual: null, view: 'warm' }, { network }, [resource({ url, type: 'Document' })], null).earlyData;
}

test('early data is what was sent before the connection was there, and is answered if its answer comes with it', () => {
  const connection = { connectStart: 0.1, connectEnd: 101.9 };
  assert.equal(earlyDataOf({ ...connection, sendStart: 102.2, receiveHeadersStart: 203 }), 'none');
  assert.equal(earlyDataOf({ ...connection, sendStart: 0.3, receiveHeadersStart: 102 }), 'answered');
  assert.equal(earlyDataOf({ ...connection, sendStart: 0.3, receiveHeadersStart: 148 }), 'answered', 'the server took 46 ms');
  assert.equal(earlyDataOf({ ...connection, sendStart: 0.3, receiveHeadersStart: 204 }), 'sent', 'it was refused, and sent again');
  assert.equal(earlyDataOf({ connectStart: -1, connectEnd: -1, sendStart: 1, receiveHeadersStart: 102 }), undefined, 'an open connection');
  assert.equal(earlyDataOf(undefined), undefined);
});
