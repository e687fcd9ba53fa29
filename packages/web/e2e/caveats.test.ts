// What limits an answer, made up and looked for wherever the answer is: dashboard, paper, public link, card, message, gate, terminal, exports.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { reportOf } from '@pronghorn/core/answer';
import type { Campaign, CampaignResults, CampaignSummary, Caveat, GateAnswer, SiteDiscovery } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { receiver } from '../../api/src/testing/receiver.ts';
// By their paths: they depend on this package, and a package manager would call the two a cycle.
import { markdownReport, textReport } from '../../cli/src/gate/outputs.ts';
import { defaultExitCodes, type Reported } from '../../cli/src/gate/reported.ts';
import { junitReport, sarifReport } from '../../cli/src/gate/tool-reports.ts';
import { report } from '../../cli/src/measure/report.ts';
import type { Outcomes } from './made-rounds.ts';
import { madeMetrics } from './made-visits.ts';
import { openPage } from './pages.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens', publicLinkDays: 30, allowNet: ['127.0.0.1/32'] }, { notifications: true });

const madeUp = 'https://93.184.216.34/made-up/login?state=secret';
const found: Partial<SiteDiscovery> = {
  finalUrl: madeUp,
  answers: [
    { url: 'https://made-up-tags.example/gtm.js', answer: 'failed', bodyBytes: null, encoding: null },
    { url: 'https://93.184.216.34/missing.png', answer: 'error', bodyBytes: null, encoding: null },
  ],
};
/** Others were at work, and the page moves in one visit of each round. */
const limited: Outcomes = (protocol, _round, random) => {
  const metrics = { ...madeMetrics(protocol, random), failedRequests: 1, ...(protocol === 'h2' && { speedIndex: null }) };
  return [{ verdict: 'valid', metrics, cpu: { ownShare: 0.3, foreignShare: 0.69 } }];
};
const warnings = ['redirected', 'broken', 'busy'] as const;

/** What is no JSON, as an admin gets it. */
const textOf = async (path: string) =>
  (await fetch(`${service.url}/api/v1/campaigns/${path}`, { headers: { authorization: `Bearer ${service.adminToken}` } })).text();

/** As one line, with plain spaces. */
const line = (text: string) => stripVTControlCharacters(text).replaceAll(/\s+/g, ' ');

describe('what limits an answer stands wherever the answer does', proves('dashboard-results', 'sharing', 'gates', 'results'), () => {
  let campaign: Campaign;
  let summary: CampaignSummary;
  let results: CampaignResults;
  let told: string[] = [];
  let reported: Reported;
  const wordsOf = (code: Caveat['code']) => summary.caveats.find((one) => one.code === code)?.words ?? assert.fail(`${code} is not there`);
  /** Asserts that a text has the words of every warning. */
  const hasAll = (text: string, where: string, words = warnings.map(wordsOf)) => {
    for (const each of words) assert.ok(line(text).includes(line(each)), `${where} lacks “${each}”: ${line(text)}`);
  };

  const ends: (() => void)[] = [];
  after(() => ends.map((end) => end()));
  before(async () => {
    const { url, got } = await receiver({ after: (end: () => void) => void ends.push(end) } as Parameters<typeof receiver>[0]);
    await service.send('POST', 'notifications', { name: 'team', kind: 'webhook', url, events: ['campaign-done'] });
    const { id } = await service.makeCampaign({
      ...{ name: 'limited', sites: [{ url: 'https://93.184.216.34/' }], conditions: ['native', 'loss-2'], protocols: ['h2', 'h3'] },
      ...{ rounds: 8, limits: { foreignCpuShare: 1 }, seed: 3 },
    });
    campaign = await service.get(`campaigns/${id}`);
    service.discover(campaign, 0, null, found);
    await service.perform(campaign, Number.POSITIVE_INFINITY, limited);
    campaign = await service.get(`campaigns/${id}`);
    [summary, results] = await Promise.all([service.get(`campaigns/${id}/summary`), service.get(`campaigns/${id}/results`)]);
    const rules = { assertions: ['onLoad h3 <= 60 s'] };
    const answer: GateAnswer = await service.send('POST', 'gates/check', { ...rules, campaignId: id });
    assert.ok(answer.result);
    reported = { campaign, result: answer.result, exitCodes: defaultExitCodes, source: { gate: 'made' }, url: null };
    while (got.length === 0) await new Promise((done) => setTimeout(done, 50));
    told = (JSON.parse(got[0]?.text ?? '{}') as { lines: string[] }).lines;
  });

  test('in summary, results, gate and exports, with its numbers', async () => {
    const codes = (caveats: readonly Caveat[] = []) => [...new Set(caveats.map(({ code }) => code))];
    assert.deepEqual(codes(summary.caveats), [...warnings, 'moves', 'native', 'own-stacks']);
    assert.match(wordsOf('redirected'), /leads to \/made-up\/login\?…: .*looks like a login/);
    assert.deepEqual(summary.caveats[1]?.numbers, { objects: 1, hosts: 1, visits: 32, of: 32, local: 0 });
    assert.match(wordsOf('busy'), /took 69 % .*\(at most 69 %; 100 % were allowed\)/);
    assert.deepEqual(reported.result.caveats, summary.caveats);
    const [header = '', first = ''] = (await textOf(`${campaign.id}/visits.csv`)).split('\r\n');
    assert.match(first, /redirected; broken; busy; moves/);
    assert.ok(header.includes(',caveats,'));
    assert.deepEqual((JSON.parse(await textOf(`${campaign.id}/export.json`)) as { caveats: Caveat[] }).caveats, summary.caveats);
  });

  test('on the terminal, short and in full', () => {
    for (const verbose of [false, true])
      hasAll(report(campaign, results, [], { verbose, caveats: summary.caveats }), verbose ? 'in full' : 'in short');
  });

  test('in a gate’s text, Markdown, JUnit and SARIF, whatever its outcome', () => {
    hasAll(textReport(reported), 'the text');
    const unescaped = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
    hasAll(unescaped(markdownReport(reported)), 'the Markdown');
    hasAll(junitReport(reported), 'JUnit');
    hasAll(sarifReport(reported), 'SARIF');
  });

  test('in the message that it is done, and on its card', async () => {
    hasAll(told.join('\n'), 'the message');
    const card = await textOf(`${campaign.id}/card.svg`);
    const titles = reportOf(campaign, summary).warnings;
    assert.equal(titles.length, warnings.length);
    for (const title of titles) assert.ok(card.toLowerCase().includes(title.toLowerCase()), `the card lacks “${title}”`);
  });

  test('in the dashboard: with the answer, in quality, in statistics, on paper and for whoever has the link', async () => {
    const shown = async (page: Page, selector: string, words = warnings.map(wordsOf)) => {
      await page.waitForSelector(selector);
      hasAll(await page.$eval(selector, (element) => element.textContent ?? ''), selector, words);
    };
    const at = (part = '') => visitor(browser, service, `#/campaigns/${campaign.id}${part}`);
    await using answer = await at();
    await shown(answer, '.answer .warnings');
    await shown(
      answer,
      '.depends',
      ['moves', 'own-stacks'].map((code) => wordsOf(code as Caveat['code'])),
    );
    await shown(answer, '.facts-line', ['3 of 5 checks passed']);
    await using quality = await at('/quality');
    await shown(
      quality,
      '.caveats',
      summary.caveats.map(({ words }) => words),
    );
    await shown(quality, '.checks-part', ['measured at another address, parts of the page never load', 'other programs used the machine']);
    await using statistics = await at('/statistics');
    await shown(statistics, '.verdict-words');
    await using paper = await at('/report');
    await shown(paper, '.sheet', [...warnings.map(wordsOf), '3 more limits on the result page']);
    const { url } = await service.send('POST', 'public-links', { kind: 'result', campaignId: campaign.id });
    await using reader = await openPage(browser, new URL(url, service.url).href);
    await shown(reader, 'main', [
      'The address leads to another one: visits measured that page',
      '1 object of the page, from 1 host, failed',
      wordsOf('busy'),
    ]);
    assert.doesNotMatch(await reader.content(), /made-up/, 'names of hosts and addresses are for those who may see them');
  });
});
