// Where browsertime is not installed nothing else tests what is made of Chrome's words.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { defaultLimits, type Limits } from '@pronghorn/core/schemas';
import { BrowsertimeWatch, type CdpClient } from './load-watch.ts';

/** A Chrome that says what it is told to. */
async function watched(limits: Partial<Limits> = {}, hungMs = 10_000) {
  const events = new EventEmitter();
  const sent: [string, string | undefined][] = [];
  const client: CdpClient = {
    send: async (method, _params, sessionId) => {
      sent.push([method, sessionId]);
      return method === 'Page.getFrameTree' ? { frameTree: { frame: { id: 'main' } } } : {};
    },
    on: (event: string, listener: (message: { method: string; params: object }) => void) => events.on(event, listener),
  };
  let begun = 0;
  const watch = new BrowsertimeWatch(client, { ...defaultLimits, ...limits }, hungMs, () => {
    begun += 1;
  });
  await watch.start();
  const say = (method: string, params: object, sessionId?: string) => events.emit('event', { method, params, sessionId });
  const ask = (url: string, requestId: string, type = 'Document', sessionId?: string) => {
    const initiator = { type: 'other' };
    const request = { url, method: 'GET', headers: {}, initialPriority: 'High', referrerPolicy: 'origin' };
    const params = {
      requestId,
      loaderId: 'loader',
      frameId: 'main',
      type,
      documentURL: url,
      request,
      initiator,
      timestamp: 1,
      wallTime: 1,
    };
    say('Network.requestWillBeSent', params, sessionId);
  };
  return { watch, say, ask, sent, begun: () => begun, gone: () => events.emit('disconnect') };
}

const page = 'https://a.test/';

test('a load begins with the page’s first request, and its load event is that of its own document', async () => {
  const { watch, say, ask, begun, gone } = await watched();
  say('Page.lifecycleEvent', { name: 'load', loaderId: 'of the start page' });
  assert.deepEqual([begun(), watch.loadedAt], [0, undefined]);
  ask(page, 'loader');
  ask(`${page}style.css`, '2', 'Stylesheet');
  say('Page.frameNavigated', { frame: { loaderId: 'loader', url: page } });
  say('Page.lifecycleEvent', { name: 'load', loaderId: 'loader' });
  assert.equal(begun(), 1);
  assert.ok(watch.loadedAt !== undefined);
  assert.deepEqual(watch.documents, [{ loaderId: 'loader', url: page }]);
  gone();
});

test('frames and workers in other processes are heard, and run once they are', async () => {
  const { watch, say, ask, sent, gone } = await watched();
  ask(page, 'loader');
  say('Target.attachedToTarget', { sessionId: 'frame' });
  ask('https://b.test/frame', '7', 'Document', 'frame');
  assert.deepEqual(
    watch.network.events.map(({ params }) => params.requestId),
    ['loader', '7'],
  );
  const ofFrame = sent.filter(([, session]) => session === 'frame').map(([method]) => method);
  assert.deepEqual(ofFrame, ['Network.enable', 'Target.setAutoAttach', 'Runtime.runIfWaitingForDebugger']);
  gone();
});

test('the cause of a load’s end is reported at once, each by its name', async () => {
  const endOf = async (limits: Partial<Limits>, act: (chrome: Awaited<ReturnType<typeof watched>>) => void, hungMs?: number) => {
    const chrome = await watched(limits, hungMs);
    chrome.ask(page, 'loader');
    act(chrome);
    return (await chrome.watch.ended).kind;
  };
  const arrive = ({ say }: { say: (method: string, params: object) => void }, loaderId = 'loader') =>
    say('Page.frameNavigated', { frame: { loaderId, url: page } });
  const failed = { requestId: 'loader', errorText: 'net::ERR_CERT_AUTHORITY_INVALID', timestamp: 2 };
  assert.equal(await endOf({}, ({ say }) => say('Network.loadingFailed', failed)), 'navigation-failed');
  assert.equal(await endOf({}, ({ say }) => say('Page.downloadWillBegin', {})), 'download');
  assert.equal(await endOf({}, ({ say }) => say('Inspector.targetCrashed', {})), 'tab-crashed');
  assert.equal(await endOf({}, ({ gone }) => gone()), 'browser-crashed');
  assert.equal(await endOf({ maxRequests: 1 }, ({ ask }) => ask(`${page}dot.svg`, '2', 'Image')), 'too-big');
  assert.equal(await endOf({ loadTimeoutMs: 1 }, arrive), 'load-timeout');
  const moves = (chrome: Awaited<ReturnType<typeof watched>>) => {
    for (let move = 0; move <= 6; move++) arrive(chrome, `loader ${move}`);
  };
  assert.equal(await endOf({}, moves), 'left-page');
  const load = (chrome: Awaited<ReturnType<typeof watched>>) => {
    arrive(chrome);
    chrome.say('Page.lifecycleEvent', { name: 'load', loaderId: 'loader' });
  };
  // Loaded, and browsertime gets no answer of it any more.
  assert.equal(await endOf({ loadTimeoutMs: 60_000 }, load, 1), 'settle-cut');
});
