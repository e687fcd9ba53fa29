// The built-in conditions: those of published studies, and the usual profiles of other tools.
import type { Condition, Shape } from '../schemas/condition.ts';
import { isLossy } from './shaping.ts';

const trevisan = 'Trevisan et al. 2021, Measuring HTTP/3: Adoption and Performance, https://doi.org/10.1109/MedComNet52149.2021.9501274';
const zahra = 'Zahra & Ardiansyah 2026';
const kiwee = 'Kiwee 2023, HTTP/3 against HTTP/2 on a poor mobile network';
/**
 * browsertime and sitespeed.io's throttle have the same profiles with the same rates and half of this RTT: numbers that once were the delay
 * of each direction are taken as the RTT there, and halved again. WebPageTest's labels say RTT, so its numbers are used.
 */
const webPageTest =
  'WebPageTest, www/settings/connectivity.ini.sample; browsertime and sitespeed.io’s throttle have the same rates with half of its RTT';

const bothWays = (shape: Shape) => ({ up: shape, down: shape });
const independent = (percent: number) => ({ model: 'independent', share: percent / 100 }) as const;

const latency = (ms: number): Condition => ({
  name: `latency-${ms}`,
  description: `${ms} ms more on the way up, which adds ${ms} ms to the RTT.`,
  source: trevisan,
  up: { delayMs: ms },
  down: {},
});

const loss = (percent: number): Condition => ({
  name: `loss-${percent}`,
  description:
    `Each direction loses ${percent} % of its packets, independently: the paper’s percentage is read as that of one direction. The paper measured over the ` +
    'Internet, with an RTT of its own; without any delay loss would measure the CPU and not recovery, hence a base RTT of 20 ms.',
  source: trevisan,
  baseRttMs: 20,
  ...bothWays({ loss: independent(percent) }),
});

const bandwidth = (mbps: number): Condition => ({
  name: `bandwidth-${mbps}`,
  description: `${mbps} Mbit/s in each direction behind a queue of 32 KB, the paper’s, which keeps bufferbloat out; HTTP/3’s numbers depend on it.`,
  source: trevisan,
  ...bothWays({ rateKbps: mbps * 1000, queueBytes: 32_768 }),
});

const impaired = (name: string, rttMs: number, mbps: number, percent: number): Condition => ({
  name,
  description: `RTT ${rttMs} ms (half of it in each direction); ${mbps} Mbit/s behind 32 KB and ${percent} % loss in each direction.`,
  source: `${zahra}; their times are read as RTT, as their example has it (netem delay 25ms loss 2% and tbf rate 10mbit limit 32kb in each direction)`,
  ...bothWays({ delayMs: rttMs / 2, loss: independent(percent), rateKbps: mbps * 1000, queueBytes: 32_768 }),
});

const profile = (name: string, description: string, rttMs: number, upKbps: number, downKbps: number): Condition => ({
  name,
  description,
  source: webPageTest,
  up: { delayMs: rttMs / 2, rateKbps: upKbps },
  down: { delayMs: rttMs / 2, rateKbps: downKbps },
});

/** Each with its source, in the order of lists. Their names mean the same wherever results are read: they can't be redefined. */
export const presets: readonly Condition[] = [
  { name: 'native', description: 'The path as it is: nothing is added.', source: trevisan, up: {}, down: {} },
  ...[50, 100, 200].map(latency),
  ...[1, 2, 5].map(loss),
  ...[5, 2, 1].map(bandwidth),
  impaired('medium', 30, 20, 0.5),
  impaired('poor', 50, 10, 2),
  {
    name: 'mobile-poor',
    description:
      '100 ms and 15 % loss on what the client sends, nothing on what it receives: requests and ACKs are lost, never data. ' +
      'That is how it was measured, and no real network is like it; see mobile-poor-symmetric.',
    source: kiwee,
    up: { delayMs: 100, loss: independent(15) },
    down: {},
  },
  {
    name: 'mobile-poor-symmetric',
    description:
      'mobile-poor divided over both directions: the same RTT, and about the same share of round trips that lose a packet (1 − 0.925² = 14.4 %).',
    source: `${kiwee}, made symmetric`,
    ...bothWays({ delayMs: 50, loss: independent(7.5) }),
  },
  profile('cable', 'Cable, 5/1 Mbit/s, RTT 28 ms.', 28, 1_000, 5_000),
  profile('dsl', 'DSL, 1.5 Mbit/s / 384 kbit/s, RTT 50 ms.', 50, 384, 1_500),
  profile('4g', '4G, 9 Mbit/s, RTT 170 ms.', 170, 9_000, 9_000),
  profile('lte', 'LTE, 12 Mbit/s, RTT 70 ms.', 70, 12_000, 12_000),
  profile('3g', '3G, 1.6 Mbit/s / 768 kbit/s, RTT 300 ms.', 300, 768, 1_600),
  profile('3g-fast', 'Fast 3G, 1.6 Mbit/s / 768 kbit/s, RTT 150 ms; also Lighthouse’s mobile default.', 150, 768, 1_600),
  profile('3g-slow', 'Slow 3G, 400 kbit/s, RTT 400 ms.', 400, 400, 400),
  {
    name: 'satellite',
    description: 'A geostationary satellite for the home, 10/2 Mbit/s, RTT 650 ms, each queue as long as rate × RTT.',
    source: 'draft-kuhn-quic-4-sat, small public satellite broadband access; neither WebPageTest nor sitespeed.io has such a profile',
    up: { delayMs: 325, rateKbps: 2_000, queueBytes: 162_500 },
    down: { delayMs: 325, rateKbps: 10_000, queueBytes: 812_500 },
  },
];

const derivedName = /^(.+)\.rtt-(\d+(?:\.\d+)?)$/;

/**
 * The condition of a name. `NAME.rtt-MS` is the lossy condition NAME with a base RTT of that many milliseconds, unless a condition has that
 * very name.
 *
 * @param known conditions by name; default the presets
 */
export function conditionNamed(name: string, known: readonly Condition[] = presets): Condition | undefined {
  const exact = known.find((condition) => condition.name === name);
  if (exact) return exact;
  const [, baseName = '', ms = ''] = derivedName.exec(name) ?? [];
  const base = known.find((condition) => condition.name === baseName);
  if (!base || !isLossy(base) || Number(ms) > 10_000) return undefined;
  const derived = withBaseRtt(base, Number(ms));
  // rtt-050 and rtt-50.0 would be other names of the same condition.
  return derived.name === name ? derived : undefined;
}

/**
 * A lossy condition with another base RTT, under a name that says so: loss-2 at 50 ms is `loss-2.rtt-50`.
 *
 * @param ms milliseconds of the round trip, half in each direction; replaces the condition's own base RTT
 * @throws RangeError if the condition loses nothing, or the RTT is not between 0 and 10,000 ms
 */
export function withBaseRtt(condition: Condition, ms: number): Condition {
  if (!isLossy(condition)) {
    throw new RangeError(`${condition.name} loses no packets; only lossy conditions have a base RTT. Give it a delay instead.`);
  }
  if (!(ms >= 0 && ms <= 10_000)) throw new RangeError(`base RTT of ${condition.name}: ${ms} ms; expected 0 to 10000`);
  const name = `${condition.name.replace(/\.rtt-[\d.]+$/, '')}.rtt-${ms}`;
  const { source, up, down } = condition; // and nothing else: one that was listed says more of itself than a condition may
  return { name, description: `${condition.name} with a base RTT of ${ms} ms.`, ...(source ? { source } : {}), baseRttMs: ms, up, down };
}
