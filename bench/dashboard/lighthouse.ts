// Lighthouse's scores of all pages of the dashboard, beside the 95 of 100 that each needs, as a phone and as a desktop.
// Takes 10 minutes. node bench dashboard/lighthouse [both|mobile|desktop] [PATTERN of pages' names]; brings Lighthouse by npm.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pagesOf } from '../../packages/web/e2e/every-page.ts';
import { startExhibit } from '../../packages/web/e2e/exhibit.ts';
import { launchBrowser } from '../../packages/web/e2e/pages.ts';
import { bringPackages } from '../shared/tools.ts';

const required = 95;
const categories = ['performance', 'accessibility', 'best-practices'];
const [form = 'both', names = '.'] = process.argv.slice(2);

interface Audit {
  title: string;
  score: number | null;
  displayValue?: string;
}
interface Report {
  categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, Audit>;
}
type Lighthouse = {
  default: (url: string, flags: object, config?: object) => Promise<{ lhr: Report }>;
  desktopConfig: object;
};

const { default: lighthouse, desktopConfig } = (await import(
  pathToFileURL(join(bringPackages('dashboard'), 'node_modules/lighthouse/core/index.js')).href
)) as Lighthouse;
const { service, exhibit } = await startExhibit();
const browser = await launchBrowser();
const port = Number(new URL(browser.wsEndpoint()).port);
/** One page for each address that there is, and each part of a result; the variants differ in what there is to show. */
const pages = pagesOf(exhibit).filter(
  ({ name, route }, index, all) =>
    (all.findIndex((other) => other.route === route) === index || / of a result$|^across|^factorial/.test(name)) &&
    !route.includes('rest(') &&
    new RegExp(names).test(name),
);
try {
  for (const [device, config] of [['mobile', undefined] as const, ['desktop', desktopConfig] as const]) {
    if (form !== 'both' && form !== device) continue;
    console.log(`\n${device.padEnd(26)}${categories.map((name) => name.padStart(16)).join('')}    FCP, LCP, TBT, CLS`);
    for (const { name, hash } of pages) {
      const { lhr } = await lighthouse(`${service.url}/${hash}`, { port, logLevel: 'error', onlyCategories: categories }, config);
      const scores = categories.map((category) => Math.round((lhr.categories[category]?.score ?? 0) * 100));
      const times = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'];
      const shown = times.map((id) => lhr.audits[id]?.displayValue ?? '?').join(', ');
      console.log(`${name.padEnd(26)}${scores.map((score) => String(score).padStart(16)).join('')}    ${shown}`);
      if (scores.some((score) => score < required)) {
        process.exitCode = 1;
        for (const fault of faultsOf(lhr)) console.log(`  ${fault}`);
      }
    }
  }
} finally {
  await browser.close();
  await service[Symbol.asyncDispose]();
}

/** The audits that cost points, with Lighthouse's titles. */
function faultsOf({ categories: found, audits }: Report): string[] {
  const weighed = Object.values(found).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0));
  return weighed.flatMap(({ id }) => {
    const { title, score, displayValue = '' } = audits[id] as Audit;
    return score === null || score >= 0.9 ? [] : [`${id} ${Math.round(score * 100)}: ${title} ${displayValue}`];
  });
}
