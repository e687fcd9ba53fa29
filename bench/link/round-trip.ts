// One object over a fresh connection: TCP and TLS 1.3 need two round trips before the request, QUIC needs one. So HTTP/3 saves one
// round trip; this measures how much of it arrives. Usage: node bench/link/round-trip.ts [ROUNDS]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostAddresses, startOrigin } from '../../nginx/src/index.ts';
import { conditionNamed, defaultLimits, median, type Protocol, randomSource, shuffle } from '../../packages/core/src/index.ts';
import { deriveOutcome } from '../../packages/runner/src/derive/outcome.ts';
import { openLink, originNetwork, puppeteerEngine } from '../../packages/runner/src/index.ts';

const rounds = Number(process.argv[2] ?? 20);
const protocols: Protocol[] = ['h2', 'h3'];
const conditions = [50, 100, 200].map((ms) => {
  const condition = conditionNamed(`latency-${ms}`);
  if (condition === undefined) throw new Error(`latency-${ms} is no preset.`);
  return { rttMs: ms, condition };
});
const port = 4433;
const directory = mkdtempSync(join(tmpdir(), 'round-trip-'));
const link = await openLink({
  choice: 'auto',
  conditions: conditions.map(({ condition }) => condition),
  outside: false,
  origin: { addresses: hostAddresses({ enter: [], ...originNetwork }), port },
});
const origin = await startOrigin({ directory, port, place: { ...originNetwork, enter: link.originEnter } });
const engine = puppeteerEngine({ trust: origin.trust, serves: () => true, settings: origin.settings }, link.standpoint);
const url = origin.odd.empty;
const { host } = new URL(url);
const random = randomSource(1);

try {
  for (const { rttMs, condition } of conditions) {
    await link.prepare(condition, async () => {});
    const times = new Map<Protocol, { ttfb: number[]; onLoad: number[] }>(
      protocols.map((protocol) => [protocol, { ttfb: [], onLoad: [] }]),
    );
    for (let round = 0; round < rounds; round++) {
      for (const protocol of shuffle(protocols, random)) {
        const asked = { url, protocol, discovery: 'forced', view: 'cold', forced: protocol === 'h3' ? [host] : [] } as const;
        const { evidence } = await engine.load({ ...asked, isolation: 'context', browser: 'chrome', limits: defaultLimits });
        const { outcome } = await deriveOutcome({ ...asked, expectStatus: 200, finalHost: host }, evidence, 1);
        if (outcome.verdict === 'invalid') console.error(`${protocol}: ${outcome.reason}, ${outcome.detail}`);
        else {
          times.get(protocol)?.ttfb.push(outcome.metrics.ttfb);
          times.get(protocol)?.onLoad.push(outcome.metrics.onLoad);
        }
      }
    }
    const of = (protocol: Protocol, metric: 'ttfb' | 'onLoad') => median(times.get(protocol)?.[metric] ?? []);
    const saving = (metric: 'ttfb' | 'onLoad') => {
      const saved = of('h2', metric) - of('h3', metric);
      return `${metric} h2 ${of('h2', metric).toFixed(1)} ms, h3 ${of('h3', metric).toFixed(1)} ms: saves ${saved.toFixed(1)} ms = ${(saved / rttMs).toFixed(3)} round trips`;
    };
    console.log(
      `${condition.name}, ${times.get('h2')?.ttfb.length} + ${times.get('h3')?.ttfb.length} visits: ${saving('ttfb')}; ${saving('onLoad')}`,
    );
  }
} finally {
  await engine.close();
  await origin.stop();
  await link.close();
  rmSync(directory, { recursive: true, force: true });
}
