// A page that scripts build: a tree of modules, a big classic bundle, fetches after DOMContentLoaded. Stands for web
// applications, where the network competes with parsing and running code.
import { random } from './painting.ts';
import { SiteFiles, source } from './site-files.ts';

const chartCount = 24;
const bundledFunctions = 900;
const regions = ['Tetons', 'Green River', 'Red Desert', 'Wind River'];
const subjects = ['Herd', 'Ridge', 'Fawns', 'Crossings', 'Fences', 'Snow depth', 'Water', 'Grass'];

export async function makeScripts(): Promise<SiteFiles> {
  const site = new SiteFiles();
  site.asset('watch.css', await source('scripts/watch.css'));
  site.asset('vendor.js', bundle());
  // A module's URL carries its hash, so what it imports comes first.
  for (const name of ['series.js', 'scale.js', 'dom.js', 'shapes.js']) site.asset(name, site.fill(await source(`scripts/${name}`)));
  for (let n = 0; n < chartCount; n++) site.asset(chart(n), site.fill(chartModule(n)));
  site.asset('charts.js', site.fill(chartList()));
  site.asset('main.js', site.fill(await source('scripts/main.js')));
  for (const region of regions) site.document(`/api/${slug(region)}.json`, JSON.stringify(report(region)));
  site.document('/index.html', site.fill(await source('scripts/index.html')));
  return site;
}

const chart = (n: number) => `chart-${String(n + 1).padStart(2, '0')}.js`;
const slug = (region: string) => region.toLowerCase().replaceAll(' ', '-');

function chartList(): string {
  const numbers = Array.from({ length: chartCount }, (_, n) => n);
  return `${numbers.map((n) => `import * as chart${n + 1} from '{{/${chart(n)}}}';`).join('\n')}
export const charts = [${numbers.map((n) => `chart${n + 1}`).join(', ')}];
export const regions = ${JSON.stringify(regions.map(slug))};
`;
}

/** A chart's module: its own observations, and what to compute of them. Some milliseconds of real work each. */
function chartModule(n: number): string {
  const chance = random(300 + n);
  const shape = chance.pick(['line', 'area', 'bars']);
  const observations = Array.from({ length: 400 }, () => chance.int(0, 9999));
  const points = shape === 'bars' ? 24 : 60;
  return `// Chart ${n + 1} of the overview.
import { quantile, smooth, walk } from '{{/series.js}}';
import { ${shape} } from '{{/shapes.js}}';

const observations = [${observations.join(', ')}];

export const title = '${subjects[n % subjects.length]} ${Math.floor(n / subjects.length) + 2024}';

export function draw() {
  const walked = walk(${chance.int(1, 2 ** 31 - 1)}, ${chance.int(9000, 16000)}, ${chance.float(-0.02, 0.04).toFixed(3)});
  const level = smooth(walked, ${chance.int(12, 24)});
  const middle = quantile(level, 0.5);
  const step = Math.floor(level.length / ${points});
  const drawn = Array.from({ length: ${points} }, (_, i) => level[i * step] - middle + observations[i] / 250);
  return ${shape}(drawn, '${chance.pick(['#2f6f73', '#b3512f', '#c98a1b', '#39506b', '#6b7d4a'])}');
}
`;
}

/** A bundle as libraries make it: hundreds of functions, all parsed, all run once. */
function bundle(): string {
  const chance = random(9);
  const bodies = Array.from({ length: bundledFunctions }, (_, n) => {
    const [a, b, c] = [chance.int(2, 97), chance.int(3, 9973), chance.int(1, 31)];
    const key = Array.from({ length: 6 }, () => chance.int(0, 2 ** 31 - 1).toString(36)).join('');
    return `  function step${n}(state, options) {
    const table = { low: ${a}, high: ${b}, name: 'step-${n}', key: '${key}', ratio: ${(a / b).toFixed(6)} };
    let value = state ^ ${chance.int(1, 2 ** 30)};
    for (let i = 0; i < options.rounds; i++) {
      value = (Math.imul(value, ${b * 2 + 1}) + table.low + i) | 0;
      if (value % ${c + 1} === 0) value ^= value >>> ${c % 13};
    }
    return options.keep(table.name, value) + table.high;
  }`;
  });
  return `// A bundle of ${bundledFunctions} functions.
window.vendor = (() => {
  const kept = new Map();
  const options = { rounds: 300, keep: (name, value) => (kept.set(name, value), value & 0xffff) };
${bodies.join('\n')}
  let state = 1;
  for (const step of [${Array.from({ length: bundledFunctions }, (_, n) => `step${n}`).join(', ')}]) state = step(state, options);
  return { state, kept };
})();
`;
}

function report(region: string) {
  const chance = random(region.length * 1000 + region.charCodeAt(0));
  const sightings = Array.from({ length: 80 }, (_, n) => ({
    at: `${String(5 + (n % 14)).padStart(2, '0')}:${String(chance.int(0, 59)).padStart(2, '0')}`,
    place: `${region}, section ${chance.int(1, 36)}`,
    count: chance.int(1, 60),
    bearing: chance.int(0, 359),
  }));
  return { region, animals: chance.int(2000, 40_000), sightings };
}
