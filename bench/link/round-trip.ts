// A page of one object over HTTP/3, beside HTTP/2: how much of the one round trip that QUIC's handshake saves arrives in its times.
// Takes 3 minutes, as root. node bench link/round-trip [ROUNDS, default 20]
import { median } from '../../packages/core/src/math/index.ts';
import { openLab, presetOf } from '../shared/lab.ts';

const rounds = Number(process.argv[2] ?? 20);
const latencies = [50, 100, 200].map((rttMs) => ({ rttMs, condition: presetOf(`latency-${rttMs}`) }));
await using lab = await openLab(latencies.map(({ condition }) => condition));

for (const { rttMs, condition } of latencies) {
  await lab.under(condition);
  const visits = await lab.visit(lab.origin.odd.empty, rounds);
  const savings = (['ttfb', 'onLoad'] as const).map((metric) => {
    const [h2, h3] = (['h2', 'h3'] as const).map((protocol) => median(visits[protocol].map((one) => one[metric]))) as [number, number];
    const saved = `${(h2 - h3).toFixed(1)} ms = ${((h2 - h3) / rttMs).toFixed(3)} round trips`;
    return `${metric} h2 ${h2.toFixed(1)} ms, h3 ${h3.toFixed(1)} ms: saves ${saved}`;
  });
  console.log(`${condition.name}, ${visits.h2.length} + ${visits.h3.length} visits: ${savings.join('; ')}`);
}
