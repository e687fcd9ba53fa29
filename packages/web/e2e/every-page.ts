// Where each page of the dashboard is, with something to show.
import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import type { Exhibit } from './exhibit.ts';

export type ShownPage = { name: string /** As in src/router.ts. */; route: string; hash: string };

export function pagesOf({
  gates,
  runner,
  shop,
  again,
  many,
  factorial,
  broken,
  failed,
  calls,
  running,
  waiting,
  cancelled,
  hostile,
  sameTwice,
  nights,
  visits,
}: Exhibit): ShownPage[] {
  const campaign = (name: string, { id }: { id: string }, part = '') => ({
    name,
    route: '/campaigns/:id/:part(loads|statistics|quality|visits|across|factorial)?',
    hash: `#/campaigns/${id}${part === '' ? '' : `/${part}`}`,
  });
  const regressed = nights.ids.at(-1) ?? '';
  return [
    { name: 'sites', route: '/', hash: '#/' },
    { name: 'site', route: '/sites/:id', hash: `#/sites/${nights.siteId}` },
    { name: 'campaigns', route: '/campaigns', hash: '#/campaigns' },
    { name: 'alerts', route: '/alerts', hash: '#/alerts' },
    { name: 'new campaign', route: '/new', hash: '#/new' },
    { name: 'new campaign of a page', route: '/new', hash: '#/new?url=https://shop.example/' },
    {
      name: 'new campaign on chosen networks',
      route: '/new',
      hash: '#/new?url=https://shop.example/&conditions=lte,satellite,loss-1&rounds=12',
    },
    campaign('result', shop),
    ...['loads', 'statistics', 'quality', 'visits'].map((part) => campaign(`${part} of a result`, shop, part)),
    campaign('result of many sites', many),
    campaign('statistics of many sites', many, 'statistics'),
    campaign('result without comparison', broken),
    campaign('failed campaign', failed),
    campaign('result of REST calls', calls.done),
    campaign('live REST calls', calls.running),
    campaign('result with hostile names', hostile),
    campaign('result of one protocol twice', sameTwice),
    campaign('result of a night', { id: regressed }),
    campaign('live campaign', running),
    campaign('waiting campaign', waiting),
    campaign('cancelled campaign', cancelled),
    campaign('across sites', many, 'across'),
    campaign('factorial', factorial, 'factorial'),
    { name: 'share', route: '/campaigns/:id/share', hash: `#/campaigns/${shop.id}/share` },
    ...[
      { name: 'report', of: shop },
      { name: 'report of many sites', of: many },
      { name: 'report of a live campaign', of: running },
      { name: 'report without comparison', of: broken },
      { name: 'report of REST calls', of: calls.done },
      { name: 'report with hostile names', of: hostile },
    ].map(({ name, of }) => ({ name, route: '/campaigns/:id/report', hash: `#/campaigns/${of.id}/report` })),
    { name: 'visit', route: '/visits/:id', hash: `#/visits/${visits.h3.id}` },
    { name: 'two visits', route: '/visits/:id', hash: `#/visits/${visits.h3.id}?with=${visits.h2.id}` },
    { name: 'run', route: '/visits/:id', hash: `#/visits/${calls.h3.id}` },
    { name: 'two runs', route: '/visits/:id', hash: `#/visits/${calls.h3.id}?with=${calls.h2.id}` },
    { name: 'run that failed', route: '/visits/:id', hash: `#/visits/${calls.failed.id}` },
    { name: 'compare', route: '/compare', hash: `#/compare?a=${shop.id}&b=${again.id}` },
    { name: 'schedules', route: '/schedules', hash: '#/schedules' },
    { name: 'new schedule', route: '/schedules/new', hash: '#/schedules/new' },
    { name: 'schedule', route: '/schedules/:id', hash: `#/schedules/${nights.schedule.id}` },
    { name: 'change a schedule', route: '/schedules/:id/edit', hash: `#/schedules/${nights.schedule.id}/edit` },
    { name: 'gates', route: '/gates', hash: '#/gates' },
    { name: 'new gate', route: '/gates/new', hash: '#/gates/new' },
    { name: 'gate', route: '/gates/:id', hash: `#/gates/${gates.strict.id}` },
    { name: 'change a gate', route: '/gates/:id/edit', hash: `#/gates/${gates.strict.id}/edit` },
    { name: 'runners', route: '/runners', hash: '#/runners' },
    { name: 'runner', route: '/runners/:id', hash: `#/runners/${runner.id}` },
    { name: 'conditions', route: '/conditions', hash: '#/conditions' },
    { name: 'settings', route: '/settings', hash: '#/settings' },
    { name: 'sign in', route: '/sign-in', hash: '#/sign-in' },
    { name: 'public result', route: '/public/:id/:secret', hash: `#/public/${shop.id}/prl_${'0'.repeat(64)}` },
    { name: 'no such page', route: '/:rest(.*)*', hash: '#/nowhere/at/all' },
  ];
}

/** Patterns of all pages that the router knows: none may be forgotten. */
export function routerPaths(): string[] {
  const source = readFileSync(new URL('../src/router.ts', import.meta.url), 'utf8');
  return [...source.matchAll(/^\s*page\('([^']+)'/gm)].map(([, path = '']) => path);
}

/** Until there is a heading, nothing is being read, and the page, with its charts, changes no more from frame to frame. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('.loading, [aria-busy="true"]') === null,
  );
  await page.evaluate(async () => {
    let isChanged = false;
    const observer = new MutationObserver(() => {
      isChanged = true;
    });
    observer.observe(document.body, { childList: true, subtree: true, attributes: true });
    // A page that tells the time never ends changing.
    for (let looks = 0; looks === 0 || (isChanged && looks < 20); looks++) {
      isChanged = false;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
    observer.disconnect();
  });
}
