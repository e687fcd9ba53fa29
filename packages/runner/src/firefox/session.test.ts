import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Inside } from './inside.ts';
import type { Bidi } from './launch-firefox.ts';
import { openTab } from './session.ts';

/** A tab of a Firefox that answers what it is asked, and tells what a test says. */
async function tabOf(said: EventEmitter) {
  const send = async (method: string) => ({
    result: method === 'browsingContext.getTree' ? { contexts: [{ context: 'first' }] } : { context: 'tab' },
  });
  const bidi = Object.assign(said, { send }) as unknown as Bidi;
  return await openTab({ bidi, inside: { onCrash: () => {} } as unknown as Inside }, 'data:,');
}

test('Firefox’s own page for an answer without a body is no document, and the navigation failed', async () => {
  const said = new EventEmitter();
  const { session } = await tabOf(said);
  const documents: unknown[] = [];
  session.on('Page.frameNavigated', (event) => documents.push(event));
  const navigated = session.send('Page.navigate', { url: 'https://a.test/' });
  said.emit('browsingContext.navigationCommitted', {
    ...{ context: 'tab', navigation: 'one', url: 'about:neterror?e=httpErrorPage&u=https%3A//a.test/&c=UTF-8' },
  });
  assert.deepEqual(await navigated, { errorText: 'NS_ERROR_NET_EMPTY_RESPONSE' });
  assert.deepEqual(documents, []);
});

test('a navigation whose process has gone is told once that could be told to have crashed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const said = new EventEmitter();
  const { session } = await tabOf(said);
  let told: unknown;
  void session.send('Page.navigate', { url: 'https://a.test/' }).then((navigated) => {
    told = navigated;
  });
  const failure = {
    context: 'tab',
    navigation: 'one',
    errorText: 'NS_ERROR_UNEXPECTED',
    request: { request: '1', url: 'https://a.test/', headers: [] },
  };
  said.emit('network.fetchError', failure);
  said.emit('browsingContext.navigationFailed', { context: 'tab' });
  const passed = async (ms: number) => {
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await passed(1_000);
  await passed(5_000);
  assert.equal(told, undefined);
  await passed(10_000);
  assert.deepEqual(told, { errorText: 'NS_ERROR_UNEXPECTED' });
});
