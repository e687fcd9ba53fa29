import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Campaign, Lease, SiteDiscovery, VisitUpload } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import { madeCampaign } from '../../../core/fixtures/made-campaign.ts';
import { discoveryLines, fewRounds, SoFar, whyInvalid } from './perform.ts';

const asked = 'https://shop.example/';
const shop = { id: '1', name: 'shop', url: asked };
const found = (finalUrl: string) =>
  stripVTControlCharacters(discoveryLines(shop, { failure: null, finalUrl } as unknown as SiteDiscovery).join('\n')).replaceAll('\n', ' ');

test('a page that was led elsewhere at discovery says where, since that page is measured', () => {
  assert.match(
    found('https://shop.example/login?next=/'),
    /^shop: The address leads to \/login\?…: visits measured that page.* looks like a login/,
  );
  assert.match(found('https://shop.example/de/'), /leads to \/de\/: .* measure that address/);
});

test('one that stays where it was asked for says nothing', () => {
  assert.equal(found(asked), '');
  assert.equal(found(`${asked}#top`), '');
});

test('of failed visits only their details differ, and what a page wrote there commands no terminal', () => {
  const lease = { site: { name: 'shop' } } as Lease;
  const failed = (detail: string) =>
    whyInvalid({ protocol: 'h2', outcome: { verdict: 'invalid', reason: 'incomplete', detail } } as unknown as VisitUpload, lease);
  const [one, other] = [failed('/a failed.'), failed('\u001b]0;title\u0007 failed.')].flat();
  assert.equal(one?.kind, other?.kind);
  assert.match(one?.text ?? '', /Invalid, shop over HTTP\/2: incomplete\. \/a failed\./);
  const discovered = discoveryLines(shop, { failure: { reason: 'step-failed', detail: '\u001b]0;' } } as SiteDiscovery).join();
  for (const text of [other?.text ?? '', discovered])
    for (const commands of ['\u001b]', '\u0007']) assert.ok(!text.includes(commands), text);
});

test('what came so far is told by view, and of a campaign that goes on nothing is its first', () => {
  const spec = {
    ...({ engine: 'puppeteer', primaryMetric: 'onLoad' } as const),
    protocols: ['h2', 'h3'] as Protocol[],
    views: ['cold', 'warm'] as View[],
  };
  const lease = (view: View) => ({ site: { name: 'shop' }, round: { siteId: '1', condition: 'native', view } }) as unknown as Lease;
  const visit = (slot: number, onLoad: number) => ({ slot, outcome: { verdict: 'valid', metrics: { onLoad } } }) as unknown as VisitUpload;
  const [begun, resumed] = [new SoFar(spec, { isResumed: false }), new SoFar(spec, { isResumed: true })];
  for (const one of [begun, resumed]) {
    one.add(visit(0, 500), lease('cold'));
    one.add(visit(1, 400), lease('cold'));
    one.add(visit(0, 90), lease('warm'));
  }
  assert.equal(begun.words(lease('cold')), 'shop native cold: h2 500 ms, h3 400 ms');
  assert.equal(begun.words(lease('warm')), 'shop native warm: h2 90 ms');
  assert.match(
    begun.firstNumbers(lease('cold')).join(),
    /^First visits of shop under native, cold: onLoad 500 ms over HTTP\/2 and 400 ms over/,
  );
  assert.deepEqual([begun.firstNumbers(lease('cold')), resumed.firstNumbers(lease('cold'))], [[], []]);
});

test('before anything is measured, a campaign with too few rounds for a winner is warned of', () => {
  const asked = (sites: number, rounds: number, roundsDone = 0) =>
    fewRounds({ ...madeCampaign({ sites, rounds }), progress: { roundsDone } } as unknown as Campaign).join();
  assert.match(asked(1, 5), /^No winner can be named: that needs at least 6 rounds; the campaign has 5\.$/);
  assert.match(asked(2, 6), /^A winner in only one of 2 comparisons needs at least 7 rounds, .* the campaign has 6/);
  assert.deepEqual([asked(1, 6), asked(2, 7), asked(9, 9), asked(60, 12), asked(1, 2, 1)], ['', '', '', '', '']);
});
