// Queueing a test: what is typed, what the service says of it meanwhile, what it makes; in a real Chrome against the real api.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Campaign } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { texts } from './pages.ts';
import { fill, has, hasFocus, isAt, press, says, saysAll } from './reader.ts';
import { setStage } from './stage.ts';

const { service, open } = await setStage();

const plan = 'section.plan';
const start = 'button[type="submit"]';
const card = (name: string) => `xpath/.//li[.//span[@class="name" and normalize-space()="${name}"]]//input`;
const typed = '.sites-field input';
const field = (label: string) => `xpath/.//label[normalize-space()="${label}"]/..//*[self::input or self::select]`;
/** A segment of one of the questions. */
const choose = (page: Page, words: string) => press(page, `xpath/.//*[@role="radiogroup"]//label[normalize-space()="${words}"]`);
const openMore = (page: Page) => press(page, 'details.more > summary');
const rounds = field('Rounds per page and network');
const conditionsOf = ({ spec }: Campaign) => spec.conditions.map(({ name }) => name);
/** Goes on to another form, without what was typed into this one. */
async function goOn(page: Page, hash: string): Promise<void> {
  await page.goto(`${service.url}/#/conditions`);
  await says(page, 'h1', 'Network conditions');
  await page.goto(`${service.url}/${hash}`);
  await page.waitForSelector(typed);
}
/** Presses the button, and waits for the page of the campaign that was made. */
async function started(page: Page): Promise<Campaign> {
  await press(page, start);
  return made(page);
}
async function made(page: Page): Promise<Campaign> {
  await isAt(page, /^#\/campaigns\/\d+$/);
  return service.get(`campaigns/${page.url().split('/').at(-1)}`);
}

describe('the form of a new campaign', proves('dashboard-forms'), () => {
  test('the usual test of a page is its URL and Enter', async () => {
    await using page = await open('#/new');
    await hasFocus(page, typed);
    await page.keyboard.type('93.184.216.44');
    await page.keyboard.press('Enter');
    const campaign = await made(page);
    assert.deepEqual(
      [campaign.sites[0]?.url, conditionsOf(campaign), campaign.spec.rounds, campaign.spec.protocols, campaign.spec.discovery],
      ['https://93.184.216.44/', ['native', '4g', 'latency-100', 'loss-1'], 20, ['h2', 'h3'], 'forced'],
    );
  });

  test('everything that a usual test needs is on the first screen, each choice changes the plan, and what is to copy says the same', async () => {
    const before = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.39/' }], rounds: 8, protocols: ['h2', 'h3'] });
    await service.perform(before, 8);
    await using page = await open('#/new?url=https://93.184.216.45/');
    await page.setViewport({ width: 1366, height: 900 });
    await says(page, plan, '4 networks × 20 rounds × 2 protocols = 160 loads');
    const bottom = await page.$eval('details.more > summary', (summary) => summary.getBoundingClientRect().bottom);
    assert.ok(bottom < 900, `the last question ends at ${bottom}`);
    await says(page, '.members', /4g \+170 ms RTT, 9 Mbit\/s both ways/);
    await choose(page, 'Mobile (4)');
    await choose(page, 'Quick 10');
    await choose(page, 'First visit');
    await says(page, plan, '4 networks × 10 rounds × 2 protocols = 80 loads');
    await isAt(page, /conditions=mobile.*discovery=alt-svc/);
    await choose(page, 'Until clear');
    await says(page, plan, '4 networks × 9 to 60 rounds × 2 protocols = 72 to 480 loads');
    await choose(page, 'Runner’s own network');
    await choose(page, 'Precise 40');
    await says(page, plan, '1 network × 40 rounds × 2 protocols = 80 loads');
    await isAt(page, /precision=precise/);

    // Earlier rounds of the page tell the time and the smallest difference.
    await goOn(page, '#/new?url=https://93.184.216.39/&conditions=native');
    await says(page, plan, 'if rounds differ as 8 earlier ones did');
    await says(page, plan, 'earlier rounds of these pages under these conditions');
    await says(page, plan, 'No runner is alive.');

    await goOn(page, '#/new?url=https://93.184.216.34/&conditions=typical&precision=quick&location=fra');
    await press(page, '.command-lines summary');
    await says(page, '.command-lines pre', /^\.\/pronghorn measure https:\/\/93.184.216.34\/ --conditions typical --precision quick$/);
    assert.match((await texts(page, '.command-lines pre'))[1] ?? '', /^curl -s http:\/\/127\.0\.0\.1:\d+\/api\/v1\/campaigns \\\n/);
    await says(page, '.command-lines', 'The command line has no option for the location');
  });

  test('a pasted list, conditions and rounds become the campaign that the service makes, and its page opens', async () => {
    await using page = await open('#/new');
    await hasFocus(page, typed);
    // A word without a dot is no page, which is said once it is left.
    await page.keyboard.type('h3');
    assert.equal(await page.$('.sites-field [aria-invalid="true"]'), null);
    await page.keyboard.press('Tab');
    await says(page, '.sites-field', '“h3” has no dot.');
    await fill(page, typed, '');
    // In the middle of it the field becomes one of many lines.
    await page.keyboard.type('93.184.216.34, https://93.184.216.35/gallery');
    await says(page, 'main', '2 pages');
    await says(page, 'main', 'Assuming https:// for 93.184.216.34');
    await choose(page, 'Choose…');
    await press(page, card('4g'));
    await openMore(page);
    await fill(page, rounds, '9');
    await says(page, plan, '2 pages × 3 networks × 9 rounds × 2 protocols = 108 loads');
    await says(page, plan, 'If loads vary by');
    await isAt(
      page,
      /url=https:\/\/93\.184\.216\.34&url=https:\/\/93\.184\.216\.35\/gallery&conditions=native,latency-100,loss-1&rounds=9/,
    );
    const campaign = await started(page);
    assert.deepEqual(
      [campaign.sites.map(({ url }) => url), campaign.spec.rounds, conditionsOf(campaign)],
      [['https://93.184.216.34/', 'https://93.184.216.35/gallery'], 9, ['native', 'latency-100', 'loss-1']],
    );
  });

  test('what would be refused stands beside its field while it is typed, and nothing is sent', async () => {
    await using page = await open('#/new');
    const before = (await service.get('campaigns')).items.length;
    await hasFocus(page, typed);
    await press(page, start);
    await says(page, '.sites-field', 'Type or paste the URL of at least one page.');
    await hasFocus(page, typed);
    await fill(page, typed, 'http://93.184.216.34/');
    await says(page, '.sites-field', 'is plain http, over which browsers speak only HTTP/1.1');
    await press(page, 'xpath/.//button[normalize-space()="Use https for it"]');
    await has(page, '.sites-field [aria-invalid="true"]', 0);
    assert.equal(await page.$eval(typed, (input) => (input as HTMLInputElement).value), 'https://93.184.216.34/');

    await openMore(page);
    await fill(page, rounds, '99999');
    await says(page, 'main', 'Expected at most 10000 rounds.');
    await fill(page, rounds, '1,000');
    // It stands in no address, and stays in its field when that is written.
    await isAt(page, /^(?!.*rounds=)/);
    await says(page, 'main', 'A number is expected here, without commas');
    await fill(page, rounds, 'many');
    await says(page, 'main', 'A number is expected here');
    await press(page, start);
    await fill(page, rounds, '5');
    await says(page, plan, "5 rounds can't name a winner, corrected for 4 comparisons, whatever they show: at least 6 are needed.");
    await says(page, plan, 'the verdict will be “inconclusive”');

    // The visitor’s fields stay open while what was refused is typed to its end.
    await press(page, 'details.visitor > summary');
    await fill(page, field('Language'), 'd');
    await page.waitForSelector('details.visitor [aria-invalid="true"]');
    await page.keyboard.type('e-CH');
    await isAt(page, /de-CH/);
    assert.ok(await (await page.$(field('Language')))?.isVisible());

    // What is wrong with no field of the form stands in the form, and the button leads there.
    for (const [more, words] of [
      [{ engineOptions: { foo: 1 } }, 'engineOptions'],
      [{ limits: { nope: 1 } }, 'nope'],
      [{ workload: { nope: 1 } }, 'nope'],
    ] as const) {
      await goOn(page, `#/new?url=https://93.184.216.34/&more=${JSON.stringify(more)}`);
      await says(page, '#campaign-problem', words);
      await press(page, start);
      await hasFocus(page, '#campaign-problem');
    }
    assert.equal((await service.get('campaigns')).items.length, before);
  });

  test('what is wrong in folded fields is unfolded by the button, and has the focus', async () => {
    await using page = await open('#/new?url=https://93.184.216.34/');
    const foldMore = async () => {
      await openMore(page);
      await page.waitForSelector('details.more:not([open])');
    };
    await openMore(page);
    const cold = 'xpath/.//label[contains(., "Empty cache")]//input';
    await press(page, cold);
    await says(page, 'main', 'Choose at least one view.');
    await foldMore();
    await press(page, start);
    await hasFocus(page, 'details.more[open] fieldset[aria-describedby="views-problem"] input');
    await press(page, cold);
    const ofProtocol = (name: string) => `xpath/.//fieldset[legend="Protocols"]/div/label[contains(., "${name}")]//input`;
    for (const name of ['HTTP/2', 'HTTP/3']) await press(page, ofProtocol(name));
    await foldMore();
    await press(page, start);
    await hasFocus(page, 'details.more[open] [aria-invalid="true"][type="checkbox"]');
    for (const name of ['HTTP/2', 'HTTP/3']) await press(page, ofProtocol(name));

    await press(page, 'details.visitor > summary');
    await fill(page, field('Viewport width'), '1');
    await page.waitForSelector('details.visitor [aria-invalid="true"]');
    await foldMore();
    await press(page, start);
    await hasFocus(page, 'details.more[open] details.visitor[open] input[name="width"]');
  });

  test('a link or another campaign fills the form in, and the back button and a change keep form and address together', async () => {
    await using page = await open(
      '#/new?url=93.184.216.36&conditions=4g,native&protocols=h2,h3&until-settled=60&metric=speedIndex&name=mine',
    );
    await says(page, plan, '2 networks × 9 to 60 rounds × 2 protocols');
    await saysAll(page, '.condition-picker .chosen .name', ['native', '4g']);
    await says(page, 'main', '(4 changed)');
    await press(page, card('4g'));
    await isAt(page, /conditions=native&.*until-settled=60/);
    await page.evaluate(() => {
      location.hash = '#/new?url=https://93.184.216.37/&rounds=9&conditions=native';
    });
    await says(page, plan, '1 network × 9 rounds × 2 protocols');
    assert.equal(await page.$eval(typed, (input) => (input as HTMLInputElement).value), 'https://93.184.216.37/');

    const office = { name: 'office', up: { delayMs: 5 }, down: {} };
    const { id } = await service.makeCampaign({
      name: 'the original',
      sites: [{ url: 'https://93.184.216.38/', name: 'home' }],
      conditions: ['native', office],
      protocols: ['h2', 'h3'],
      rounds: 8,
      priority: 'ci',
    });
    await goOn(page, `#/new?from=${id}`);
    await says(page, 'main', 'Like the original, which stays as it is.');
    await says(page, plan, '2 networks × 8 rounds × 2 protocols');
    const copy = await started(page);
    assert.notEqual(copy.id, id);
    assert.deepEqual([copy.spec.name, copy.sites[0]?.name, copy.priority, copy.spec.conditions[1]], ['the original', 'home', 'ci', office]);
  });

  test('REST calls have fields of their own, what a run does is told in a sentence, and the service makes what the form says', {
    ...proves('dashboard-forms', 'rest-calls'),
  }, async () => {
    await using page = await open('#/new?url=https://93.184.216.40/items&metric=speedIndex&conditions=native&rounds=10');
    await says(page, plan, '1 network');
    await choose(page, 'REST calls');
    await says(page, plan, '1 user sends 100 GET requests, over one connection.');
    await says(page, plan, '20 runs');
    await openMore(page);
    await page.waitForSelector('.more legend');
    const legends = await texts(page, 'legend');
    assert.ok(
      legends.includes('Each run') && legends.includes('Connections at the start') && !legends.includes('The browser'),
      legends.join(),
    );
    assert.equal(await page.$('details.visitor'), null);
    await fill(page, field('Users at the same time'), '50');
    await fill(page, field('Requests of each user'), '100000');
    await says(page, '.workload', 'expected at most 1000000');
    await fill(page, field('Requests of each user'), '10');
    await says(page, plan, '50 users send 10 GET requests each, over one connection each; 500 requests.');
    await says(page, plan, '10,000 requests in all');

    await fill(page, field('A run ends after'), 'rate');
    await says(page, '.workload', 'Mode rate needs requestsPerSecond.');
    assert.equal(await page.$(field('Requests of each user')), null);
    await fill(page, field('A run ends after'), 'duration');
    await says(page, plan, '50 users send GET requests one after another for 10 seconds');
    await says(page, plan, 'The runs alone take at least 3 min.');
    await fill(page, field('A run ends after'), 'count');
    await fill(page, field('Method'), 'POST');
    await fill(page, field('Body of each request'), '2000');
    await says(page, plan, '50 users send 100 POST requests of 2 MB each');
    await press(page, 'xpath/.//label[contains(., "New connections")]//input');
    const { spec } = await started(page);
    assert.deepEqual(
      [spec.engine, spec.workload, spec.views, spec.primaryMetric],
      ['transaction', { users: 50, method: 'POST', bodyBytes: 2_000_000 }, ['cold', 'warm'], 'responseTime'],
    );
  });
});
