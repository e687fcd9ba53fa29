// What the dashboard says of who is faster: in the API’s words, and nowhere else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeNames } from '../src/text/vocabulary.ts';
import { byCondition, drawn, judgedCampaign, questionOf } from './judged-campaign.ts';
import { openAll, openPage, texts } from './pages.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage();
const judged = await judgedCampaign(service);

const open = (hash = judged.hash) => openPage(browser, `${service.url}/${hash}`);

test('the answer comes first: who won where, in one sentence that counts the API’s verdicts, and a line for each condition', async () => {
  const { results } = judged;
  await using page = await open();
  await page.waitForSelector('.answer .lines small');
  assert.equal(
    (await texts(page, '.answer .headline'))[0],
    'HTTP/3 is faster in 1 of 5 conditions (poor) and HTTP/2 in 1 (latency-50); equivalent in 1, inconclusive in 2.',
  );
  assert.match(
    (await texts(page, '.answer .confidence'))[0] ?? '',
    /^The chance of any false winner among these 5 comparisons is at most 5 %/,
  );
  assert.deepEqual(
    await texts(page, '.answer .lines .words'),
    results.cells.map((group) => questionOf(group).verdict.words),
  );
  assert.ok(await page.$eval('.results', (part) => part.firstElementChild?.matches('.answer')), 'nothing stands before it');
});

test('each cell begins with the API’s verdict, in its words and with a mark', async () => {
  const { results } = judged;
  const verdicts = results.cells.map((group) => questionOf(group).verdict);
  assert.deepEqual(
    verdicts.map(({ outcome }) => outcome),
    ['equivalent', 'h2-faster', 'h3-faster', 'inconclusive', 'inconclusive'],
  );
  await using page = await open();
  await drawn(page);
  const shown = await page.$$eval('.cell-part', (groups) =>
    groups.map((group) => {
      const of = (selector: string) =>
        [...group.querySelectorAll(`.verdict ${selector}`)].map(({ textContent }) => (textContent ?? '').replaceAll('\u00a0', ' '));
      const isFirst = [...group.children].findIndex((child) => child.matches('.verdict')) === 1;
      return { isFirst, word: of('.word'), words: of('.words'), doubts: of('.doubts li'), more: of('.more-rounds') };
    }),
  );
  for (const [i, { isFirst, word, words, doubts, more }] of shown.entries()) {
    const verdict = verdicts[i];
    assert.ok(isFirst, 'only the name of the condition stands before it');
    assert.deepEqual(word, [verdict && outcomeNames[verdict.outcome]]);
    assert.equal([...words, ...doubts].join(' '), verdict?.words);
    assert.deepEqual(more, verdict?.moreRounds ? [verdict.moreRounds.words] : []);
  }
  assert.ok(shown[3]?.more.length === 1, 'noise is settled by more rounds');
  assert.match(shown[4]?.doubts.join() ?? '', /Not measured over HTTP\/3: \d+ of \d+ rounds/);

  const signs = await page.$$eval('.cell-part .verdict .outcome', (elements) =>
    elements.map((chip) => chip.querySelector('svg')?.innerHTML ?? chip.querySelector('.sign')?.textContent ?? ''),
  );
  assert.equal(new Set(signs).size, 4, 'each outcome has its own sign without its colour too');
});

test('nothing but verdicts says that something is faster', async () => {
  await using page = await open();
  await drawn(page);
  await openAll(page);
  const rest = await page.$eval('.results', (results) => {
    const copy = results.cloneNode(true) as HTMLElement;
    const verdicts = '.words, .question, .headline, .doubts, .outcome, .doubt, .overview td:nth-child(4), [role=tooltip], title';
    for (const verdict of copy.querySelectorAll(verdicts)) verdict.remove();
    // A chart’s legend names the verdicts that it draws.
    return (copy.textContent ?? '').replaceAll(/verdict: HTTP\/[\d.]+ faster/g, '');
  });
  assert.ok(rest.includes('H3-Delta') && rest.includes('Median onLoad'));
  assert.doesNotMatch(rest, /faster|slower|quicker|better|worse|wins/i);
});

test('while rounds are to come a verdict waits for them, and it is no trouble', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://half.example/' }], protocols: ['h2', 'h3'], rounds: 8 });
  await service.perform(campaign, 7, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await page.waitForSelector('.cell-part .verdict');
  assert.deepEqual(await texts(page, '.verdict .word'), ['unfinished']);
  assert.match((await texts(page, '.answer .doubts')).join(), /^Not all rounds are done/);
  assert.equal(await page.$('.more-rounds, .trouble'), null);
  await service.perform(campaign, 1, byCondition);
  await page.waitForFunction(() => document.querySelector('.answer .word')?.textContent === 'equivalent');
  await page.waitForFunction(() => document.querySelector('.cell-part .verdict .word')?.textContent === 'equivalent');
});

test('a campaign until it is settled says what its verdict is made of', async () => {
  const request = { sites: [{ url: 'https://until.example/' }], protocols: ['h2', 'h3'] as ('h2' | 'h3')[], rounds: 10, maximumRounds: 60 };
  const campaign = await service.makeCampaign({ ...request, conditions: ['loss-2', 'native'] });
  await service.perform(campaign, 22, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await page.waitForSelector('.since-look');
  assert.match(
    (await texts(page, '.since-look')).join(),
    /of the 10 rounds until the last planned look; the medians are of all 1\d so far\.$/,
  );
});

test('no line of a verdict ends between a number and its unit, or within p < 0.0001', async () => {
  await using page = await open();
  await drawn(page);
  const prose = await page.$$eval('.answer .words, .verdict .words, .sentence, .link, .intervals .numbers', (elements) =>
    elements.map((part) => part.textContent ?? ''),
  );
  assert.ok(prose.some((words) => /\d\u00a0%/.test(words) && /p\u00a0[<=]\u00a0/.test(words)));
  for (const words of prose) assert.doesNotMatch(words, / %|[<=] \d|\d ms/);
});

test('without HTTP/3 beside HTTP/2 there is no verdict, and with one protocol no comparison', async () => {
  const without = await service.makeCampaign({ sites: [{ url: 'https://without.example/' }], protocols: ['h1', 'h2'], rounds: 1 });
  await service.perform(without, 1);
  await using page = await open(`#/campaigns/${without.id}`);
  await page.waitForSelector('.interval');
  assert.match((await texts(page, '.answer .no-question')).join(), /^No verdict: .*exploratory/);
  assert.match((await texts(page, '.cell-part .verdict')).join(), /^No verdict: .*exploratory/);
  assert.equal((await texts(page, '.intervals h4'))[0], 'HTTP/2 against HTTP/1.1');
  assert.equal(await page.$('.delta-part'), null);

  const alone = await service.makeCampaign({ sites: [{ url: 'https://alone.example/' }], protocols: ['h2', 'h2'], rounds: 6 });
  await service.perform(alone, 6);
  await using second = await open(`#/campaigns/${alone.id}`);
  await second.waitForSelector('.visits tbody tr');
  assert.equal(await second.$('.verdict, .intervals, .comparisons'), null);
  assert.match((await texts(second, '.self-comparisons')).join(), /against itself.*HTTP\/2/s);
});
