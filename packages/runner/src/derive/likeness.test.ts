import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@pronghorn/core/schemas';
import type { NetworkEvent } from '../gather/evidence.ts';
import { answersToKeep, differentUrls } from './answers.ts';
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

test('bodies are compared whose sizes are known over every protocol, and whole in every visit', () => {
  const own = (name: string, more: Partial<Resource>) => resource({ url: `${url}${name}`, status: 200, ...more });
  const compressed = { headers: { 'content-encoding': 'gzip' } };
  const page = (styles: Partial<Resource>, sound: Partial<Resource>) => [
    resource({ url, type: 'Document', status: 200, encodedBodyBytes: 1_000 }),
    own('a.css', { type: 'Stylesheet', ...compressed, ...styles }),
    own('a.png', { type: 'Image', encodedBodyBytes: 9_000 }),
    own('a.mp3', { type: 'Media', ...sound }),
  ];
  const at = (resources: Resource[]) => answersToKeep(resources);
  const discovered = (resources: Resource[]) => ({ hosts: {}, requests: 4, broken: [], answers: at(resources) });
  // Discovery over HTTP/2 heard all of the sound; a visit over HTTP/3 knows the size of the style sheet, and heard half.
  const usual = discovered(page({ encodedBodyBytes: null }, { encodedBodyBytes: 400_000 }));
  for (const [styles, sound] of [
    [null, null],
    [20_000, 200_000],
  ] as const) {
    const resources = page({ encodedBodyBytes: styles }, { encodedBodyBytes: sound });
    const { bodyBytes, bodyShare } = likenessOf({ usual, view: 'cold' }, { network: [] }, resources, null);
    assert.deepEqual([bodyBytes, bodyShare], [10_000, 1]);
  }
});

test('an icon that discovery alone had the time for makes no small page another one', () => {
  const page = resource({ url, type: 'Document', status: 200, encodedBodyBytes: 400 });
  const icon = resource({ url: `${url}favicon.ico`, type: 'Other', status: 404, encodedBodyBytes: 5_000 });
  for (const status of [404, 200]) {
    const usual = { hosts: {}, requests: 2, broken: [], answers: answersToKeep([page, { ...icon, status }]) };
    const { requestShare, bodyShare } = likenessOf({ usual, view: 'cold' }, { network: [] }, [page], null);
    assert.deepEqual([requestShare, bodyShare], [0.5, 1], 'half is not less than half');
  }
  const usual = { hosts: {}, requests: 5, broken: [], answers: answersToKeep([{ ...page, encodedBodyBytes: 4_000 }]) };
  const { requestShare, bodyShare } = likenessOf({ usual, view: 'cold' }, { network: [] }, [page], null);
  assert.deepEqual([requestShare, bodyShare], [0.2, 0.1]);
});

test('polls that discovery had the time to see make no visit a thinned one', () => {
  const page = resource({ url, type: 'Document', status: 200, encodedBodyBytes: 400 });
  const poll = (n: number) =>
    resource({ url: `${url}news/${n}`, type: 'Fetch', status: 200, encodedBodyBytes: 5_000, startMs: 300 + 700 * n });
  const discovered = [page, ...Array.from({ length: 20 }, (_, n) => poll(n))];
  const untilMs = 200;
  const usual = {
    ...{ hosts: {}, requests: 21, broken: [] },
    ...{ urls: differentUrls(discovered, untilMs), answers: answersToKeep(discovered, untilMs) },
  };
  const { requestShare, bodyShare } = likenessOf({ usual, view: 'cold' }, { network: [] }, [page], null);
  assert.deepEqual([requestShare, bodyShare], [1, 1]);
  const { urls: _, ...earlier } = usual;
  assert.equal(
    likenessOf({ usual: earlier, view: 'cold' }, { network: [] }, discovered, null).requestShare,
    1,
    'as an earlier release counted',
  );
});

test('an object of another party that refuses over one protocol what discovery got is another answer', () => {
  const widget = 'https://widget.example/w.js';
  const answered = (status: number, blocked: string | null = null) => [
    resource({ url, type: 'Document', status: 200 }),
    resource({ url: widget, type: 'Script', status, blocked }),
  ];
  const usualAt = (status: number) => ({ hosts: {}, requests: 2, broken: [], answers: answersToKeep(answered(status)) });
  const otherAnswers = (before: number, now: Resource[]) =>
    likenessOf({ usual: usualAt(before), view: 'cold' }, { network: [] }, now, null).otherAnswers;
  assert.equal(otherAnswers(200, answered(200)), 0);
  assert.equal(otherAnswers(200, answered(403)), 1);
  assert.equal(otherAnswers(200, answered(200, 'cors: MissingAllowOriginHeader')), 1);
  assert.equal(otherAnswers(503, answered(200)), 0, 'what others have mended is theirs');
});
