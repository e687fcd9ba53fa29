// What a visit by each engine costs beyond its page's own load, as a campaign makes it: node bench/visit-overhead/src/engines.ts [visits of each].
import { styleText } from 'node:util';
import { median, randomSource, shuffle } from '../../../packages/core/src/math/index.ts';
import { defaultLimits } from '../../../packages/core/src/schemas/index.ts';
import { deriveOutcome } from '../../../packages/runner/src/derive/outcome.ts';
import type { Load } from '../../../packages/runner/src/engines/engine.ts';
import { allEngines, findBrowsertime, openLink } from '../../../packages/runner/src/index.ts';
import { CalmGate } from '../../../packages/runner/src/machine/cpu-gauge.ts';
import { openShop } from './shop.ts';

const limits = { ...defaultLimits, quietMs: 100 };
const ways: Record<string, Pick<Load, 'engine' | 'isolation' | 'engineOptions'>> = {
  'puppeteer, a context': { engine: 'puppeteer', isolation: 'context' },
  'puppeteer, a Chrome': { engine: 'puppeteer', isolation: 'process' },
  browsertime: { engine: 'browsertime', isolation: 'process' },
  'browsertime, no video': { engine: 'browsertime', isolation: 'process', engineOptions: { video: false } },
  'browsertime, its own waits': { engine: 'browsertime', isolation: 'process', engineOptions: { waits: 'browsertime' } },
};

const visits = Number(process.argv[2] ?? 5);
findBrowsertime(true);
const shop = await openShop();
const link = await openLink({ choice: 'direct', conditions: [], outside: true });
const { hostname } = new URL(shop.url);
const engine = allEngines({ trust: shop.trust, serves: (name) => name === hostname, settings: {} }, link.vantagePoint);
const gate = new CalmGate();
const random = randomSource(1);
const measured = new Map(Object.keys(ways).map((name) => [name, [] as Record<string, number | null>[]]));
try {
  for (let round = 0; round < visits; round++) {
    for (const [name, way] of shuffle(Object.entries(ways), random)) {
      const choices = { url: shop.url, protocol: 'h2', discovery: 'forced', view: 'cold', forced: [], browser: 'chrome' } as const;
      await gate.pass(defaultLimits.foreignCpuShare, undefined, 60_000);
      const started = performance.now();
      const { evidence } = await engine.load({ ...choices, ...way, limits });
      const asked = { ...choices, expectStatus: 200, finalUrl: shop.url, usual: null };
      const { outcome } = await deriveOutcome(asked, evidence, defaultLimits.foreignCpuShare);
      const wallMs = performance.now() - started;
      gate.close();
      if (outcome.verdict === 'invalid') {
        console.error(`${name}: ${outcome.reason}: ${outcome.detail}`);
        continue;
      }
      const { loadEventEnd, onLoad, speedIndex, firstContentfulPaint } = outcome.metrics;
      measured.get(name)?.push({ beyond: wallMs - loadEventEnd, onLoad, speedIndex, firstContentfulPaint });
    }
  }
} finally {
  await engine.close();
  await link.close();
  await shop.stop();
}

const columns = ['beyond', 'onLoad', 'firstContentfulPaint', 'speedIndex'] as const;
console.log(styleText('bold', ['engine'.padEnd(28), 'visits', 'beyond the load ms', 'onLoad ms', 'FCP ms', 'SpeedIndex ms'].join('  ')));
for (const [name, values] of measured) {
  const cells = columns.map((column) => {
    const known = values.flatMap((value) => value[column] ?? []);
    return known.length === 0 ? '–' : median(known).toFixed(0);
  });
  console.log(
    [name.padEnd(28), String(values.length).padStart(6), ...cells.map((cell, at) => cell.padStart([18, 9, 6, 13][at] ?? 0))].join('  '),
  );
}
