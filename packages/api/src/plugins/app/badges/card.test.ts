import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, CampaignSummary, Caveat } from '@pronghorn/core/schemas';
import { cardSvg } from './card.ts';

const hostile = `</text><script>alert(1)</script>"&' onload="x \u0000\u001b\ud800 نص عربي \u202eolleh\u200f\u061c ${'and on '.repeat(40)}`;

const warning = { siteId: null, condition: null, view: null, numbers: {}, names: [], words: '' };

function cardOf({
  names = ['native', '4g'],
  name = 'shop',
  site = 'page',
  share = -0.1,
  sites = 1,
  outcome = 'h3-faster',
  words = null as string | null,
  isBounded = true,
  doubts = [] as string[],
  caveats = [] as Caveat[],
} = {}) {
  const ids = Array.from({ length: sites }, (_, n) => String(n + 1));
  const comparison = {
    ...{ outcome, ahead: share < 0 ? 'h3' : 'h2', doubts, rounds: 12, shiftConfidence: 0.95 },
    ...(isBounded
      ? { shift: { value: share, low: share - 0.02, high: share + 0.02 }, shiftAtMedian: share * 900 }
      : { shift: { value: null, low: null, high: 0.1, unbounded: { value: 'below', low: 'below' } }, shiftAtMedian: null }),
  };
  const notLoaded = words === null ? null : { reasons: [], words };
  const cells = ids.flatMap((siteId) =>
    names.map((condition) => ({ siteId, condition, view: 'cold', medians: {}, failures: {}, notLoaded, comparison })),
  );
  const campaign = {
    ...{ createdAt: '2026-03-01T12:00:00Z', finishedAt: null, sites: ids.map((id) => ({ id, name: site, url: 'https://site.example/' })) },
    spec: {
      ...{
        name,
        views: ['cold'],
        protocols: ['h2', 'h3'],
        engine: 'puppeteer',
        primaryMetric: 'onLoad',
        margin: 0.05,
        adjustment: 'hommel',
      },
      conditions: names.map((each) => ({ name: each, up: {}, down: {} })),
    },
  } as unknown as Campaign;
  const progress = { rounds: 12, roundsDone: 12 };
  const summary = {
    state: 'done',
    progress,
    notLoaded: [],
    caveats,
    visits: { valid: 24, failed: 0, invalid: [] },
    cells,
  } as unknown as CampaignSummary;
  return cardSvg(campaign, summary);
}

const tagsOf = (svg: string) => new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, name]) => name));
const textsOf = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

test('a card says in a few words what limits its answer, also to whoever hears it', () => {
  assert.doesNotMatch(cardOf(), />! /);
  const card = cardOf({
    caveats: [
      { ...warning, code: 'redirected' },
      { ...warning, code: 'busy' },
      { ...warning, code: 'native' },
    ],
  });
  const words = 'Measured at another address; other programs used the machine.';
  assert.ok(card.includes(`>! ${words}<`), card);
  assert.match(card, /aria-label="[^"]*Measured at another address\. Other programs used the machine\."/);
  const height = (svg: string) => Number(/height="(\d+)"/.exec(svg)?.[1]);
  assert.ok(
    height(cardOf({ names: ['a', 'b', 'c', 'd'], caveats: [{ ...warning, code: 'busy' }] })) >
      height(cardOf({ names: ['a', 'b', 'c', 'd'] })),
  );
});

test('names are text of the card, whatever is in them, in nobody’s direction but their own', () => {
  for (const svg of [
    cardOf({ name: hostile, names: [hostile, `${hostile}2`], site: hostile, sites: 2 }),
    cardOf({ name: hostile, names: [hostile], words: hostile }),
  ]) {
    for (const tag of tagsOf(svg)) assert.ok(['svg', 'title', 'style', 'rect', 'path', 'text', 'circle'].includes(tag ?? ''), tag);
    assert.doesNotMatch(svg, / onload="/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
    assert.doesNotMatch(svg.replaceAll('\n', ''), /[\u0000-\u001f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    for (const text of textsOf(svg)) assert.ok((text ?? '').length < 320, text);
  }
});

test('it needs nothing from elsewhere, and is light or dark as the reader’s system', () => {
  const svg = cardOf();
  assert.deepEqual(svg.match(/(?:https?:|url\(|href|@import|<script)[^"')]*/g), ['http://www.w3.org/2000/svg']);
  assert.match(svg, /@media\(prefers-color-scheme:dark\)/);
  assert.match(svg, /^<svg [^>]*width="480" height="200" /);
  assert.ok(svg.length < 6_000, `${svg.length} bytes`);
});

test('a row for each condition has its difference; what is not shown is no figure alone, and what is more is counted', () => {
  const told = ['native', '90 ms (10 %) sooner', '4g', '90 ms (10 %) sooner'];
  assert.deepEqual(
    textsOf(cardOf()).filter((text) => told.includes(text ?? '')),
    told,
  );
  assert.ok(textsOf(cardOf({ outcome: 'inconclusive' })).includes('? 90 ms (10 %) sooner'));
  assert.ok(textsOf(cardOf({ outcome: 'equivalent' })).includes('equal within 5 %'));
  assert.ok(textsOf(cardOf({ names: Array.from({ length: 9 }, (_, n) => `c${n}`) })).includes('and 3 more'));
  assert.ok(textsOf(cardOf({ sites: 20 })).includes('mark: middle page, line: middle half of the pages'));
});

test('a winner without a number, because loads failed, is named all the same', () => {
  assert.ok(textsOf(cardOf({ isBounded: false })).includes('HTTP/3 faster'));
  assert.ok(textsOf(cardOf({ isBounded: false, outcome: 'not-shown-yet' })).includes('? HTTP/3 faster'));
  assert.ok(textsOf(cardOf({ isBounded: false, outcome: 'inconclusive' })).includes('no clear difference'));
  const lost = textsOf(cardOf({ isBounded: false, outcome: 'inconclusive', doubts: ['not-loaded'] }));
  assert.deepEqual([lost.includes('not compared'), lost.includes('no clear difference')], [true, false]);
});
