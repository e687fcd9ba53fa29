// What a page's hint to connect ahead is worth, and what of it HTTP/2 and HTTP/3 each have: a picture of another host, named by a style sheet,
// with `<link rel=preconnect>` and without. In a Chrome of its own each, since hints do nothing in a context.
// Usage: node bench/link/preconnect.ts [ROUNDS] [CONDITION]
import { readAccessLog } from '../../nginx/src/index.ts';
import { h3DeltaInterval, median, randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { h3Delta } from '../../packages/core/src/verdict/index.ts';
import { type Measured, openLab, presetOf } from './lab.ts';

const [rounds = '20', name = 'latency-100'] = process.argv.slice(2);
const condition = presetOf(name);
await using lab = await openLab([condition], undefined, undefined, true);
await lab.under(condition);

const site = lab.origin.sites.find((one) => one.name === 'preconnect');
const other = site?.hosts.find(({ host }) => host.startsWith('hinted.'))?.host;
if (site === undefined || other === undefined) throw new Error('The demo has no page with a hint any more.');
const random = randomSource(1);
const kinds = ['hinted', 'bare'] as const;
const measured: Record<(typeof kinds)[number], { h2: Measured[]; h3: Measured[]; ages: number[] }> = {
  hinted: { h2: [], h3: [], ages: [] },
  bare: { h2: [], h3: [], ages: [] },
};
for (let round = 0; round < Number(rounds); round++) {
  for (const kind of shuffle(kinds, random)) {
    const url = `${site.url}?badge${kind === 'bare' ? '&bare' : ''}`;
    const logged = (await readAccessLog(lab.origin.accessLog)).length;
    const { h2, h3 } = await lab.visit(url, 1, { isolation: 'process', forced: [other] });
    if (h2[0] === undefined || h3[0] === undefined) continue;
    measured[kind].h2.push(h2[0]);
    measured[kind].h3.push(h3[0]);
    const entries = (await readAccessLog(lab.origin.accessLog)).slice(logged);
    const asked = entries.find(({ host, protocol }) => host === other && protocol === 'h2');
    // The age is that at the end of the request.
    if (asked?.connectionAgeMs != null) measured[kind].ages.push(asked.connectionAgeMs - asked.requestTimeMs);
  }
}

console.log(
  `${condition.name}: median milliseconds; the picture’s times by Chrome. The connection’s age is that when the request came, by the ` +
    'server’s log, which has it for HTTP/2 alone; its TLS handshake of one round trip is part of it.',
);
const rows = kinds.flatMap((kind) =>
  (['h2', 'h3'] as const).map((protocol) => {
    const visits = measured[kind][protocol];
    const pictures = visits.flatMap(({ resources }) => resources.find(({ host }) => host === other) ?? []);
    return {
      page: kind === 'hinted' ? 'with hints' : 'without',
      protocol,
      visits: visits.length,
      'picture asked': Math.round(median(pictures.map(({ startMs }) => startMs))),
      'connecting for it': Math.round(median(pictures.map(({ connectMs }) => connectMs ?? 0))),
      'picture there': Math.round(median(pictures.map(({ endMs }) => endMs ?? Number.NaN))),
      'connection’s age': protocol === 'h2' ? Math.round(median(measured[kind].ages)) : '–',
      onLoad: Math.round(median(visits.map(({ onLoad }) => onLoad))),
    };
  }),
);
console.table(rows);
for (const kind of kinds) {
  const pairs = measured[kind].h2.map(({ onLoad }, round) => ({ h2: onLoad, h3: measured[kind].h3[round]?.onLoad ?? Number.NaN }));
  const delta = h3Delta(
    pairs.map(({ h3 }) => h3),
    pairs.map(({ h2 }) => h2),
  );
  const interval = h3DeltaInterval(pairs, { confidence: 0.95, resamples: 10_000, seed: 1 });
  const words = interval === null ? 'too few rounds for an interval' : `95 % ${signed(interval.low)} to ${signed(interval.high)}`;
  console.log(`H3-Delta of onLoad ${kind === 'hinted' ? 'with hints' : 'without'}: ${signed(delta ?? Number.NaN)} (${words})`);
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
