import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '@pronghorn/core/schemas';
import { type KiweeLoad, kiweeDownload, kiweeFindings, kiweeReport, sixNumbers } from './kiwee.ts';
import { type MadeVisit, madeStudy } from './made-study.fixture.ts';
import { kiwee } from './published.ts';
import { locationsOf, studies, studyOf } from './studies.ts';

const resource = (seq: number, startMs: number, endMs: number | null, initiatorType = 'parser') =>
  ({ seq, startMs, endMs, initiatorType }) as Resource;

test('a load’s number ends with the last request that is listed before the first of a script', () => {
  const page = [
    resource(0, 10, 100, 'other'),
    resource(1, 60, 900),
    resource(2, 61, 500),
    resource(3, 90, 2000, 'script'),
    resource(4, 95, 3000),
  ];
  // Not the latest end, 900, and nothing behind the script's.
  assert.equal(kiweeDownload(page), 490);
  assert.equal(kiweeDownload(page.toReversed()), 490);
  assert.equal(kiweeDownload(page.slice(0, 2)), 890);
  assert.equal(kiweeDownload([resource(0, 10, 100, 'other'), resource(1, 60, null)]), null);
  assert.equal(kiweeDownload([]), null);
});

test('its percentiles are the largest of the lowest, so that p99 of fifty loads is the second largest', () => {
  const values = Array.from({ length: 50 }, (_, i) => 50 - i);
  assert.deepEqual(sixNumbers(values), { median: 25.5, mean: 25.5, p90: 45, p99: 49, min: 1, max: 50 });
  assert.equal(sixNumbers(Array.from({ length: 100 }, (_, i) => i + 1))?.p99, 99);
  assert.deepEqual(sixNumbers([7]), { median: 7, mean: 7, p90: 7, p99: 7, min: 7, max: 7 });
  assert.equal(sixNumbers([]), null);
});

test('the published table agrees with itself: by these numbers “52 % faster” is 48 %', () => {
  const bad = kiwee.locations.find(({ id }) => id === 'K-BAD');
  assert.equal(Math.round((100 * ((bad?.h3.mean ?? 0) - (bad?.h2.mean ?? 0))) / (bad?.h2.mean ?? 1)), -48);
  assert.deepEqual(Object.values(locationsOf).flat().toSorted(), kiwee.locations.map(({ id }) => id).toSorted());
  assert.deepEqual(
    Object.keys(locationsOf),
    studies.kiwee.conditions.map(({ condition }) => condition.name),
  );
});

/** Of a page that is too long to be shown. */
const has = (text: string, words: RegExp) => assert.ok(words.test(text), `the report has no ${words}`);
const hasNot = (text: string, words: RegExp) => assert.ok(!words.test(text), `the report has ${words.exec(text)?.[0]}`);

const conditions = studies.kiwee.conditions.map(({ condition }) => condition);
const visit: MadeVisit = ({ protocol, round }) => (protocol === 'h3' && round === 10 ? null : { linkedDownload: 500 });
const made = () =>
  madeStudy(visit, {
    sites: 1,
    conditions,
    rounds: 10,
    spec: { name: studies.kiwee.name, isolation: 'process' },
    site: () => ({ name: '<b>page</b>' }),
  });
const loads = (): KiweeLoad[] =>
  made().visits.flatMap(({ siteId, condition, slot, roundNumber, verdict }) =>
    verdict === 'invalid'
      ? []
      : [
          {
            ...{ siteId, condition, roundNumber, protocol: (['h1', 'h2', 'h3'] as const)[slot] ?? 'h1' },
            ...{ downloadMs: slot === 2 ? 400 + roundNumber : 500 + roundNumber, requests: slot === 2 && roundNumber < 3 ? 4 : 5 },
          },
        ],
  );

test('all loads count, failed ones as slower than all others; what the article left out stands beside', () => {
  const [near] = kiweeFindings(made(), loads());
  const [, h2, h3] = near?.sides ?? [];
  assert.deepEqual([h2?.made, h2?.failed, h3?.made, h3?.failed], [10, 0, 10, 1]);
  assert.equal(h3?.all?.six.median, 405);
  assert.deepEqual([h3?.usual?.loads, h3?.usual?.requests, h3?.usual?.six.min], [7, 5, 403]);
  // Of 401 … 409 and ∞ the median is 405.5; of 501 … 510 it is 505.5.
  assert.ok(Math.abs((near?.delta ?? 0) + 100 / 505.5) < 1e-12);
  assert.ok((near?.interval?.low ?? 0) < -0.18 && (near?.interval?.high ?? 0) < 0);
});

test('the report has a violin for each protocol and condition beside the published numbers, and tells how visits were kept apart', () => {
  const measured = made();
  assert.equal(studyOf(measured.campaign), 'kiwee');
  const text = kiweeReport(measured, loads());
  for (const { id } of kiwee.locations) assert.ok(text.includes(`[${id}]`), id);
  assert.equal(text.match(/<svg viewBox="0 0 340/g)?.length, conditions.length);
  has(text, /Each visit has a fresh Chrome with a fresh profile; the article used a fresh container/);
  has(text, /0\.6465 \/ 0\.6950/);
  has(text, /&lt;b&gt;page&lt;\/b&gt;/);
  hasNot(text, /<b>page|NaN|undefined|Infinity|<script/);
  assert.match(
    kiweeReport({ ...measured, campaign: { ...measured.campaign, spec: { ...measured.campaign.spec, isolation: 'container' } } }, []),
    /Each visit has a fresh container, as in the article/,
  );
});
