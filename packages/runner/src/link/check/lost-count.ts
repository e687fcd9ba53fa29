// Packets of n that a loss model loses: the exact distribution, and the interval that a measured count must lie in.
import type { Loss, Shape } from '@pronghorn/core/schemas';

/** The two-sided 99.9 %: half of the rest on either side. A sound link is called lossy, or the reverse, once in 1,000 measurements. */
const tail = 0.0005;

/** Two states with a loss each, and the chances to change between them with a packet. */
interface Chain {
  toBad: number;
  toGood: number;
  lossGood: number;
  lossBad: number;
}

const lossless: Loss = { model: 'independent', share: 0 };

/** The loss of one direction as a chain; independent loss is a chain whose states are alike. */
function chainOf(shape: Shape): Chain {
  const loss = shape.loss ?? lossless;
  // netem draws duplication and loss by themselves, and a packet that draws both passes once (sch_netem.c, netem_enqueue).
  const once = 1 - (shape.duplicateShare ?? 0);
  switch (loss.model) {
    case 'independent':
      return { toBad: 0, toGood: 1, lossGood: loss.share * once, lossBad: loss.share * once };
    case 'gilbert-elliott':
      return { toBad: loss.p, toGood: loss.r, lossGood: (loss.lossGood ?? 0) * once, lossBad: (loss.lossBad ?? 1) * once };
  }
}

/** How much of its time the chain is in the bad state: p ÷ (p + r) (Gilbert 1960); a chain that never moves stays good, where netem starts. */
const badShare = ({ toBad, toGood }: Chain) => (toBad + toGood === 0 ? 0 : toBad / (toBad + toGood));

/**
 * The fewest and the most of n packets that a direction loses within 99.9 %: the 0.0005 and 0.9995 quantiles of the count.
 *
 * The distribution is exact. For independent loss it is the binomial; for Gilbert–Elliott it is the count along the chain, as
 * in Elliott, "Estimates of Error Rates for Codes on Burst-Noise Channels", Bell System Technical Journal 42 (1963), whose
 * recursion over P(m, n) this is; it is wider than the binomial by as much as losses come in bursts. The chain starts in its
 * long-run state. Like netem's, it draws a packet's loss by the state before it moves.
 */
export function lostInterval(shape: Shape, packets: number): { low: number; high: number } {
  const chain = chainOf(shape);
  const { toBad, toGood, lossGood, lossBad } = chain;
  // good[m], bad[m]: the chance to have lost m packets by now and to be in that state.
  let good = new Float64Array(packets + 2);
  let bad = new Float64Array(packets + 2);
  bad[1] = badShare(chain);
  good[1] = 1 - bad[1];
  let nextGood = new Float64Array(packets + 2);
  let nextBad = new Float64Array(packets + 2);
  // Counts are stored one place up, so that m − 1 exists; only those that are not yet impossible are looked at.
  let first = 1;
  let last = 1;
  for (let packet = 0; packet < packets; packet++) {
    last++;
    for (let m = first; m <= last; m++) {
      const fromGood = (good[m] as number) * (1 - lossGood) + (good[m - 1] as number) * lossGood;
      const fromBad = (bad[m] as number) * (1 - lossBad) + (bad[m - 1] as number) * lossBad;
      nextGood[m] = fromGood * (1 - toBad) + fromBad * toGood;
      nextBad[m] = fromGood * toBad + fromBad * (1 - toGood);
    }
    [good, nextGood] = [nextGood, good];
    [bad, nextBad] = [nextBad, bad];
    // Chances below 1e-20 add up to nothing; dropping them keeps the work near the mean.
    while (last > first && (good[last] as number) + (bad[last] as number) < negligible) clear(last--);
    while (first < last && (good[first] as number) + (bad[first] as number) < negligible) clear(first++);
  }
  return { low: quantile(tail), high: quantile(1 - tail) };

  function clear(m: number): void {
    good[m] = bad[m] = nextGood[m] = nextBad[m] = 0;
  }

  function quantile(p: number): number {
    let sum = 0;
    for (let m = first; m < last; m++) {
      sum += (good[m] as number) + (bad[m] as number);
      // Sums of thousands of chances are exact to about 1e-13; without that, a certain count would not be.
      if (sum >= p - 1e-12) return m - 1;
    }
    return last - 1;
  }
}

const negligible = 1e-20;
