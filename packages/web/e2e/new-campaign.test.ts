// Queueing a test: what is typed, what the service says of it meanwhile, what it makes; in a real Chrome against the real api.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { openPage, texts } from './pages.ts';
import { startService } from './service.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage();

const plan = 'section.plan';
const start = 'button[type="submit"]';
const address = (page: Page) => page.evaluate(() => decodeURIComponent(location.hash));
const shows = (page: Page, words: string, within = 'main') =>
  page.waitForFunction((text, selector) => document.querySelector(selector)?.textContent?.includes(text), {}, words, within);
const card = (name: string) => `xpath/.//li[.//span[@class="name" and normalize-space()="${name}"]]//input`;
const typed = '.sites-field input';
/** A segment of one of the questions. */
const choose = async (page: Page, words: string) =>
  (await page.waitForSelector(`xpath/.//*[@role="radiogroup"]//label[normalize-space()="${words}"]`))?.click();
const openMore = async (page: Page) => (await page.waitForSelector('details.more > summary'))?.click();
const roundsLabel = 'Rounds per page and network';

test('the usual test of a page is its URL and Enter', async () => {
  await using page = await openPage(browser, `${service.url}/#/new`);
  await page.waitForFunction((selector) => document.activeElement?.matches(selector), {}, typed);
  await page.keyboard.type('93.184.216.44');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /^#\/campaigns\/\d+$/.test(location.hash));
  const { spec, sites } = await service.get(`campaigns/${(await address(page)).split('/').at(-1)}`);
  assert.deepEqual(
    [sites[0].url, spec.conditions.map(({ name }: { name: string }) => name), spec.rounds, spec.protocols, spec.discovery],
    ['https://93.184.216.44/', ['native', '4g', 'latency-100', 'loss-1'], 20, ['h2', 'h3'], 'forced'],
  );
});

test('everything that a usual test needs is on the first screen, and each choice changes the line of the plan', async () => {
  await using page = await openPage(browser, `${service.url}/#/new?url=https://93.184.216.45/`);
  await page.setViewport({ width: 1366, height: 900 });
  await shows(page, '4 networks × 20 rounds × 2 protocols = 160 loads', plan);
  const bottom = await page.$eval('details.more > summary', (summary) => summary.getBoundingClientRect().bottom);
  assert.ok(bottom < 900, `the last question ends at ${bottom}`);
  assert.match((await texts(page, '.members')).join(), /4g \+170 ms RTT, 9 Mbit\/s both ways/);
  await choose(page, 'Mobile (4)');
  await choose(page, 'Quick 10');
  await choose(page, 'First visit');
  await shows(page, '4 networks × 10 rounds × 2 protocols = 80 loads', plan);
  await page.waitForFunction(() => location.hash.includes('conditions=mobile') && location.hash.includes('discovery=alt-svc'));
  await choose(page, 'Until clear');
  await shows(page, '4 networks × 9 to 60 rounds × 2 protocols = 72 to 480 loads', plan);
  await choose(page, 'Runner’s own network');
  await choose(page, 'Precise 40');
  await shows(page, '1 network × 40 rounds × 2 protocols = 80 loads', plan);
  assert.match(await address(page), /precision=precise/);
});

test('a word without a dot is no page, which is said once it is left', async () => {
  await using page = await openPage(browser, `${service.url}/#/new`);
  await page.waitForSelector(typed);
  await page.type(typed, 'h3');
  assert.equal(await page.$('.sites-field [aria-invalid="true"]'), null);
  await page.keyboard.press('Tab');
  await shows(page, '“h3” has no dot.', '.sites-field');
});
const field = (label: string) => `xpath/.//label[normalize-space()="${label}"]/..//input`;

test('a pasted list, conditions and rounds become the campaign that the service makes, and its page opens', async () => {
  await using page = await openPage(browser, `${service.url}/#/new`);
  await page.waitForSelector(typed);
  await page.type(typed, '93.184.216.34, https://93.184.216.35/gallery');
  await shows(page, '2 pages');
  await shows(page, 'Assuming https:// for 93.184.216.34');
  await choose(page, 'Choose…');
  await (await page.waitForSelector(card('4g')))?.click();
  await openMore(page);
  await (await page.waitForSelector(field(roundsLabel)))?.type('9');
  await shows(page, '2 pages × 3 networks × 9 rounds × 2 protocols = 108 loads', plan);
  await shows(page, 'If loads vary by', plan);
  assert.match(
    await address(page),
    /url=https:\/\/93\.184\.216\.34&url=https:\/\/93\.184\.216\.35\/gallery&conditions=native,latency-100,loss-1&rounds=9/,
  );
  await page.click(start);
  await page.waitForFunction(() => /^#\/campaigns\/\d+$/.test(location.hash));
  const id = (await address(page)).split('/').at(-1);
  const { spec, sites } = await service.get(`campaigns/${id}`);
  assert.deepEqual(
    [sites.map(({ url }: { url: string }) => url), spec.rounds, spec.conditions.map(({ name }: { name: string }) => name)],
    [['https://93.184.216.34/', 'https://93.184.216.35/gallery'], 9, ['native', 'latency-100', 'loss-1']],
  );
});

test('what would be refused stands beside its field while it is typed, and nothing is sent', async () => {
  await using page = await openPage(browser, `${service.url}/#/new`);
  const before = (await service.get('campaigns')).items.length;
  await page.waitForSelector(start);
  await page.click(start);
  await shows(page, 'Type or paste the URL of at least one page.', '.sites-field');
  assert.ok(await page.evaluate((selector) => document.activeElement?.matches(selector), typed), 'the reader is put where it is wrong');
  await page.type(typed, 'http://93.184.216.34/');
  await shows(page, 'is plain http, over which browsers speak only HTTP/1.1', '.sites-field');
  await (await page.waitForSelector('xpath/.//button[normalize-space()="Use https for it"]'))?.click();
  await page.waitForFunction(() => document.querySelector('.sites-field [aria-invalid="true"]') === null);
  assert.equal(await page.$eval(typed, (field) => (field as HTMLInputElement).value), 'https://93.184.216.34/');

  await openMore(page);
  const rounds = await page.waitForSelector(field(roundsLabel));
  await rounds?.type('99999');
  await shows(page, 'Expected at most 10000 rounds.');
  await rounds?.click({ count: 3 });
  await rounds?.type('1,000');
  await shows(page, 'A number is expected here, without commas');
  await rounds?.click({ count: 3 });
  await rounds?.type('many');
  await shows(page, 'A number is expected here');
  await page.click(start);
  await rounds?.click({ count: 3 });
  await rounds?.type('5');
  await shows(page, "5 rounds can't name a winner, corrected for 4 comparisons, whatever they show: at least 6 are needed.", plan);
  await shows(page, 'the verdict will be “inconclusive”', plan);
  assert.equal((await service.get('campaigns')).items.length, before);
});

test('the visitor’s fields stay open while what was refused is typed to its end', async () => {
  await using page = await openPage(browser, `${service.url}/#/new?url=https://93.184.216.34/`);
  await openMore(page);
  await (await page.waitForSelector('details.visitor > summary'))?.click();
  const language = await page.waitForSelector(field('Language'));
  await language?.type('d');
  await page.waitForSelector('details.visitor [aria-invalid="true"]');
  await page.keyboard.type('e-CH');
  await page.waitForFunction(() => location.hash.includes('de-CH'));
  assert.ok(await language?.isVisible());
});

test('what is wrong in folded fields is unfolded by the button, and has the focus', async () => {
  await using page = await openPage(browser, `${service.url}/#/new?url=https://93.184.216.34/`);
  const foldMore = async () => {
    await openMore(page);
    await page.waitForFunction(() => document.querySelector('details.more:not([open])'));
  };
  const hasFocus = (element: string) => page.waitForFunction((selector) => document.activeElement?.matches(selector), {}, element);
  await openMore(page);
  const cold = await page.waitForSelector('xpath/.//label[contains(., "Empty cache")]//input');
  await cold?.click();
  await shows(page, 'Choose at least one view.');
  await foldMore();
  await page.click(start);
  await hasFocus('details.more[open] fieldset[aria-describedby="views-problem"] input');
  await cold?.click();
  const ofProtocol = (name: string) => `xpath/.//fieldset[legend="Protocols"]/div/label[contains(., "${name}")]//input`;
  for (const name of ['HTTP/2', 'HTTP/3']) await (await page.waitForSelector(ofProtocol(name)))?.click();
  await foldMore();
  await page.click(start);
  await hasFocus('details.more[open] [aria-invalid="true"][type="checkbox"]');
  for (const name of ['HTTP/2', 'HTTP/3']) await (await page.waitForSelector(ofProtocol(name)))?.click();

  await (await page.waitForSelector('details.visitor > summary'))?.click();
  await (await page.waitForSelector(field('Viewport width')))?.type('1');
  await page.waitForSelector('details.visitor [aria-invalid="true"]');
  await foldMore();
  await page.click(start);
  await hasFocus('details.more[open] details.visitor[open] input[name="width"]');
});

test('what is wrong with no field of the form stands in the form, and the button leads there', async () => {
  const pointless: [more: object, words: string][] = [
    [{ engineOptions: { foo: 1 } }, 'engineOptions'],
    [{ limits: { nope: 1 } }, 'nope'],
    [{ workload: { nope: 1 } }, 'nope'],
  ];
  for (const [more, words] of pointless) {
    await using page = await openPage(browser, `${service.url}/#/new?url=https://93.184.216.34/&more=${JSON.stringify(more)}`);
    await shows(page, words, '#campaign-problem');
    await page.click(start);
    await page.waitForFunction(() => document.activeElement?.id === 'campaign-problem');
  }
});

test('a link fills the form in, the back button and a change keep form and address together', async () => {
  await using page = await openPage(
    browser,
    `${service.url}/#/new?url=93.184.216.36&conditions=4g,native&protocols=h2,h3&until-settled=60&metric=speedIndex&name=mine`,
  );
  await shows(page, '2 networks × 9 to 60 rounds × 2 protocols', plan);
  const chosen = await page.$$eval('.condition-picker .chosen .name', (names) => names.map((name) => name.textContent));
  assert.deepEqual(chosen, ['native', '4g']);
  await shows(page, '(4 changed)');
  await (await page.waitForSelector(card('4g')))?.click();
  await page.waitForFunction(() => location.hash.includes('conditions=native&'));
  assert.match(await address(page), /until-settled=60/);
  await page.evaluate(() => {
    location.hash = '#/new?url=https://93.184.216.37/&rounds=9&conditions=native';
  });
  await shows(page, '1 network × 9 rounds × 2 protocols', plan);
  assert.equal(await page.$eval(typed, (field) => (field as HTMLInputElement).value), 'https://93.184.216.37/');
});

test('a campaign is started from another, with conditions as they were', async () => {
  const office = { name: 'office', up: { delayMs: 5 }, down: {} };
  const { id } = await service.makeCampaign({
    name: 'the original',
    sites: [{ url: 'https://93.184.216.38/', name: 'home' }],
    conditions: ['native', office],
    protocols: ['h2', 'h3'],
    rounds: 8,
    priority: 'ci',
  });
  await using page = await openPage(browser, `${service.url}/#/new?from=${id}`);
  await shows(page, 'Like the original, which stays as it is.');
  await shows(page, '2 networks × 8 rounds × 2 protocols', plan);
  await page.click(start);
  await page.waitForFunction((before) => /^#\/campaigns\/\d+$/.test(location.hash) && !location.hash.endsWith(`/${before}`), {}, id);
  const made = await service.get(`campaigns/${(await address(page)).split('/').at(-1)}`);
  assert.deepEqual([made.spec.name, made.sites[0].name, made.priority, made.spec.conditions[1]], ['the original', 'home', 'ci', office]);
});

test('earlier rounds of the page tell the time and the smallest difference', async () => {
  const before = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.39/' }], rounds: 8, protocols: ['h2', 'h3'] });
  await service.perform(before, 8);
  await using page = await openPage(browser, `${service.url}/#/new?url=https://93.184.216.39/&conditions=native`);
  await shows(page, 'if rounds differ as 8 earlier ones did', plan);
  await shows(page, 'earlier rounds of these pages under these conditions', plan);
  await shows(page, 'No runner is alive.', plan);
});

test('the command and the request to copy are of what the form says', async () => {
  await using page = await openPage(
    browser,
    `${service.url}/#/new?url=https://93.184.216.34/&conditions=typical&precision=quick&location=fra`,
  );
  await page.waitForSelector('.command-lines summary');
  await page.click('.command-lines summary');
  await page.waitForSelector('.command-lines pre');
  const [command = '', request = ''] = await texts(page, '.command-lines pre');
  assert.equal(command, './pronghorn measure https://93.184.216.34/ --conditions typical --precision quick');
  assert.match(request, /^curl -s http:\/\/127\.0\.0\.1:\d+\/api\/v1\/campaigns \\\n/);
  await shows(page, 'The command line has no option for the location', '.command-lines');
});

test('who may only read sees how it would be done, and no button', async () => {
  await using guarded = await startService({ kind: 'tokens' });
  const { token } = await guarded.makeToken('a reader', 'viewer');
  const context = await browser.createBrowserContext();
  const page = await openPage(context, `${guarded.url}/#token=${token}`);
  await page.waitForSelector('main h1');
  await page.goto(`${guarded.url}/#/new?url=https://93.184.216.34/`);
  await shows(page, 'To start campaigns, sign in with a token whose role is submitter.');
  assert.equal(await page.$(start), null);
  await page[Symbol.asyncDispose]();
  await context.close();
});

test('REST calls have fields of their own, what a run does is told in a sentence, and the service makes what the form says', async () => {
  await using page = await openPage(
    browser,
    `${service.url}/#/new?url=https://93.184.216.40/items&metric=speedIndex&conditions=native&rounds=10`,
  );
  await shows(page, '1 network', plan);
  await choose(page, 'REST calls');
  await shows(page, '1 user sends 100 GET requests, over one connection.', plan);
  await shows(page, '20 runs', plan);
  await openMore(page);
  await page.waitForSelector('.more legend');
  const legends = await texts(page, 'legend');
  assert.ok(
    legends.includes('Each run') && legends.includes('Connections at the start') && !legends.includes('The browser'),
    legends.join(),
  );
  assert.equal(await page.$('details.visitor'), null);
  await (await page.waitForSelector(field('Users at the same time')))?.type('50');
  const requests = await page.waitForSelector(field('Requests of each user'));
  await requests?.type('100000');
  await shows(page, 'expected at most 1000000', '.workload');
  await requests?.click({ count: 3 });
  await requests?.type('10');
  await shows(page, '50 users send 10 GET requests each, over one connection each; 500 requests.', plan);
  await shows(page, '10,000 requests in all', plan);

  const select = async (label: string, value: string) =>
    page.select(
      `#${await page.$eval(`xpath/.//label[normalize-space()="${label}"]`, (label) => (label as HTMLLabelElement).htmlFor)}`,
      value,
    );
  await select('A run ends after', 'rate');
  await shows(page, 'Mode rate needs requestsPerSecond.', '.workload');
  assert.equal(await page.$(field('Requests of each user')), null);
  await select('A run ends after', 'duration');
  await shows(page, '50 users send GET requests one after another for 10 seconds', plan);
  await shows(page, 'The runs alone take at least 3 min.', plan);
  await select('A run ends after', 'count');
  await select('Method', 'POST');
  await (await page.waitForSelector(field('Body of each request')))?.type('2000');
  await shows(page, '50 users send 100 POST requests of 2 MB each', plan);
  await (await page.waitForSelector('xpath/.//label[contains(., "New connections")]//input'))?.click();
  await page.click(start);
  await page.waitForFunction(() => /^#\/campaigns\/\d+$/.test(location.hash));
  const { spec } = await service.get(`campaigns/${(await address(page)).split('/').at(-1)}`);
  assert.deepEqual(
    [spec.engine, spec.workload, spec.views, spec.primaryMetric],
    ['transaction', { users: 50, method: 'POST', bodyBytes: 2_000_000 }, ['cold', 'warm'], 'responseTime'],
  );
});
