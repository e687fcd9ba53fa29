// The numbers behind the verdicts: drawn and in tables, as the API gives them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignResults, Comparison } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { pValue, signed, signedPercent } from '../src/text/format.ts';
import { metricNames, outcomeNames } from '../src/text/vocabulary.ts';
import { conditions, drawn, judgedStage, questionOf } from './judged-campaign.ts';
import { madeMetrics } from './made-visits.ts';
import { openAll, texts } from './pages.ts';

const judged = await judgedStage();
const { service } = judged;

const open = (hash = judged.hash) => judged.open(hash);

test(
  'each metric’s difference is drawn where its numbers are, the primary metric first',
  proves('dashboard-results', 'verdicts'),
  async () => {
    const { results } = judged;
    await using page = await open();
    await drawn(page);
    const rowsOf = await page.$$eval('.cell-part', (groups) =>
      groups.map((group) =>
        [...group.querySelectorAll('.intervals li[data-metric]')].map((row) => {
          const centre = (selector: string) => {
            const box = row.querySelector(selector)?.getBoundingClientRect();
            return box ? { left: box.left, middle: box.left + box.width / 2, right: box.right } : null;
          };
          const { metric } = (row as HTMLElement).dataset;
          return {
            metric,
            text: (row.textContent ?? '').replaceAll('\u00a0', ' ').trim(),
            estimate: centre('.estimate'),
            zero: centre('.zero'),
            margin: centre('.margin'),
            inner: centre('.inner'),
            outer: centre('.outer'),
          };
        }),
      ),
    );
    for (const [i, group] of results.cells.entries()) {
      const compared = group.comparisons.filter(({ candidate, baseline }) => candidate === 'h3' && baseline === 'h2');
      const rows = rowsOf[i] ?? [];
      assert.deepEqual(
        rows.map(({ metric }) => metric),
        ['onLoad', 'speedIndex', 'largestContentfulPaint'],
      );
      for (const { metric, text, estimate, zero, margin, inner, outer } of rows) {
        const comparison = compared.find((one) => one.metric === metric);
        assert.ok(comparison && zero && margin);
        assert.match(text, comparison.confirmatory ? /primary metric/ : /secondary/);
        const { shift, equivalence, verdict } = comparison;
        assert.ok(text.endsWith(outcomeNames[verdict.outcome]), text);
        if (shift === null || shift.value === null) continue;
        if (shift.low === null || shift.high === null) {
          assert.equal(outer, null, 'too few rounds for the confidence at which it was judged');
          continue;
        }
        assert.ok(estimate && outer && inner && equivalence);
        assert.ok(text.includes(`${signedPercent(shift.value)} (${signedPercent(shift.low, '')} to ${signedPercent(shift.high)})`), text);
        assert.equal(Math.sign(estimate.middle - zero.middle), Math.sign(shift.value));
        assert.ok(outer.left <= inner.left + 1 && inner.right <= outer.right + 1, '95 % are wider than 90 %');
        assert.equal(inner.left > margin.left && inner.right < margin.right, equivalence.equivalent);
        assert.equal(outer.left < zero.middle && zero.middle < outer.right, shift.low < 0 && shift.high > 0);
      }
    }
    const [native = [], , poor = []] = rowsOf;
    assert.match(native[2]?.text ?? '', /H3-Delta −1\.00/, 'a time of 0 has no ratio');
    assert.match(poor[2]?.text ?? '', /no round has both/);
  },
);

test(
  'the question stands in one table for all conditions; all comparisons of one in another, exploratory ones marked',
  proves('dashboard-results', 'verdicts'),
  async () => {
    const { hash, results } = judged;
    await using page = await open();
    await drawn(page);
    const rowsOf = (table: string) =>
      page.$$eval(`${table} tr[data-metric]`, (elements) =>
        elements.map((row) => [...row.children].map((cell) => (cell.firstChild?.textContent ?? '').trim().replaceAll('\u00a0', ' '))),
      );
    const numbersOf = ({ rounds: paired, delta, shift, signedRank, mannWhitney, equivalence, practical }: Comparison) => {
      assert.ok(delta && shift && signedRank && mannWhitney && equivalence);
      assert.ok(delta.value !== null && shift.value !== null);
      return [
        ...[String(paired), signed(delta.value), signedPercent(shift.value), pValue(signedRank.p), pValue(signedRank.adjustedP)],
        ...[
          signed(signedRank.rankBiserial),
          signed(mannWhitney.cliffsDelta),
          equivalence.equivalent ? 'yes' : 'not shown',
          practical ? 'yes' : 'no',
        ],
      ];
    };
    /** Without the median difference, which has its own unit. */
    const withoutDifference = ([, , paired, delta, , ...rest]: string[]) => [paired, delta, ...rest];

    const question = await rowsOf('.question-table');
    assert.deepEqual(
      question.map(([name]) => name),
      conditions,
    );
    assert.deepEqual(
      question.map(withoutDifference),
      results.cells.map((group) => numbersOf(questionOf(group))),
    );

    await page.goto(`${new URL(page.url()).origin}/${hash}?condition=latency-50`);
    await page.waitForFunction(() => document.querySelectorAll('.cell-part').length === 1);
    await (await page.waitForSelector('.all-comparisons summary'))?.press('Enter');
    await page.waitForSelector('.cell-part .comparisons');
    const comparisons = results.cells[1]?.comparisons ?? [];
    assert.equal(comparisons.length, 9);
    assert.deepEqual(await texts(page, '.cell-part .comparisons .pair'), [
      'HTTP/3 against HTTP/2',
      'HTTP/3 against HTTP/1.1',
      'HTTP/2 against HTTP/1.1',
    ]);
    const rows = await rowsOf('.cell-part .comparisons');
    const roles = await texts(page, '.cell-part .comparisons .role');
    for (const [i, comparison] of comparisons.entries()) {
      assert.equal(rows[i]?.[0], metricNames[comparison.metric].name);
      assert.deepEqual(withoutDifference(rows[i] ?? []), numbersOf(comparison));
      assert.equal(roles[i], comparison.confirmatory ? 'primary metric' : 'secondary');
    }
    // Each column but the first says what it means.
    const heads = await page.$$eval('.cell-part .comparisons thead th', (elements) =>
      elements.map((head) => head.querySelector('[role=tooltip]') !== null),
    );
    assert.deepEqual(
      heads,
      heads.map((_, i) => i > 0),
    );
  },
);

test('a term is explained by the keyboard too, and Escape puts the explanation away', proves('dashboard-results', 'verdicts'), async () => {
  await using page = await open();
  await drawn(page);
  const isShown = () => page.$eval('.question-table thead [role=tooltip]', (words) => getComputedStyle(words).display !== 'none');
  assert.equal(await isShown(), false);
  await page.focus('.question-table thead .term');
  assert.equal(await isShown(), true);
  await page.keyboard.press('Escape');
  assert.equal(await isShown(), false);
});

const isAsWideAs = (page: Page, width: number) =>
  page.waitForFunction((wanted) => document.documentElement.scrollWidth === wanted, {}, width);

test('verdicts, pictures and tables are no wider than a phone', proves('dashboard-results', 'verdicts'), async () => {
  await using page = await open();
  await page.setViewport({ width: 360, height: 740 });
  await drawn(page);
  await openAll(page);
  await isAsWideAs(page, 360);
});

test(
  'each quantile is drawn with its band and its numbers, below the sentence, on a phone too',
  proves('dashboard-results', 'verdicts'),
  async () => {
    const campaign = await service.makeCampaign({
      name: 'a slow fifth',
      sites: [{ url: 'https://shop.example/', name: 'shop' }],
      ...{ conditions: ['native'], protocols: ['h2', 'h3'], rounds: 50, seed: 5 },
    });
    await service.perform(campaign, 50, (protocol, roundNumber, random) => {
      const slow = protocol === 'h3' && roundNumber % 5 === 0 ? 1.4 : 1;
      return [{ verdict: 'valid', metrics: { ...madeMetrics(protocol, random), onLoad: 400 * (1 + 0.02 * random()) * slow } }];
    });
    const { cells }: CampaignResults = await service.get(`campaigns/${campaign.id}/results`);
    const { byQuantile } = questionOf(cells[0] ?? assert.fail());
    assert.ok(byQuantile);
    await using page = await open(`#/campaigns/${campaign.id}/statistics`);
    await page.waitForSelector('.quantiles .estimate');
    const [words = ''] = await texts(page, '.quantile-words');
    assert.equal(words.replaceAll('\u00a0', ' '), byQuantile.words);
    const rows = await page.$$eval('[data-quantile]', (elements) =>
      elements.map((row) => {
        const [estimate, zero] = ['.estimate', '.zero'].map((selector) => row.querySelector(selector)?.getBoundingClientRect());
        return {
          text: (row.textContent ?? '').replaceAll('\u00a0', ' ').trim(),
          side: estimate && zero ? estimate.left + estimate.width / 2 - zero.left : null,
        };
      }),
    );
    assert.equal(rows.length, 9);
    for (const [i, { p, value, low, high }] of byQuantile.quantiles.entries()) {
      assert.ok(value !== null && low !== null && high !== null);
      assert.equal(rows[i]?.text, `p${Math.round(100 * p)}${signedPercent(value)} (${signedPercent(low, '')} to ${signedPercent(high)})`);
    }
    assert.ok((rows[8]?.side ?? 0) > 20, 'the slowest tenth lies to the right');
    await page.setViewport({ width: 360, height: 740 });
    await isAsWideAs(page, 360);
  },
);
