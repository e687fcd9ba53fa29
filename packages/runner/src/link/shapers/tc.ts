// Turns a condition into lines for tc, the same for every kernel that shapes. Sources: tc-netem(8), tc-tbf(8).
import { delayOf, lossShareOf, queueBytesOf } from '@pronghorn/core/network';
import type { Condition, Jitter, Loss, Shape } from '@pronghorn/core/schemas';

/** Ethernet's largest frame without its checksum, as tc counts it: 1,500 bytes and a header of 14. */
const frameBytes = 1_514;

/** How late the kernel may wake tbf before rate is lost: tokens beyond the bucket are gone. In the guest 0.3 ms lost 7 % of 100 Mbit/s, 1 ms none. */
const latestTimerMs = 2;

/** A direction without a rate is taken to carry this much at most. */
const unshapedKbps = 1_000_000;

/**
 * Makes the lines for `tc -batch` that put a condition on the two devices of a shaper, which have no qdiscs yet: netem (handle 1:)
 * with tbf (handle 10:) as its child, only tbf if there is only a rate, no line if nothing is shaped. So a
 * packet is first lost, doubled or delayed, then waits for the bottleneck.
 *
 * netem's losses come from the kernel's random numbers, without a seed: rounds are independent of each other.
 *
 * @param condition one that core finds no fault with
 * @param devices up: where packets leave that the visit sent; down: where those leave that it receives
 */
export function tcLines(condition: Condition, devices: { up: string; down: string }): string[] {
  return (['up', 'down'] as const).flatMap((direction) => {
    const shape = condition[direction];
    const delayMs = delayOf(condition, direction);
    const words = netemWords(shape, delayMs);
    const start = `qdisc add dev ${devices[direction]}`;
    const netem = words.length === 0 ? [] : [`${start} root handle 1: netem limit ${netemLimit(shape, delayMs)} ${words.join(' ')}`];
    if (shape.rateKbps === undefined) return netem;
    return [...netem, `${start} ${netem.length === 0 ? 'root' : 'parent 1:1'} handle 10: ${tbfWords(shape, shape.rateKbps)}`];
  });
}

/** Empty if netem has nothing to do. */
function netemWords({ jitter, loss, duplicateShare = 0, reorder, ...shape }: Shape, delayMs: number): string[] {
  return [
    ...(delayMs > 0 || jitter !== undefined ? [`delay ${micros(delayMs)}`, ...jitterWords(jitter)] : []),
    ...(loss !== undefined && lossShareOf({ ...shape, loss }) > 0 ? [lossWords(loss)] : []),
    ...(duplicateShare > 0 ? [`duplicate ${percent(duplicateShare)}`] : []),
    ...(reorder !== undefined && reorder.share > 0 ? [`reorder ${percent(reorder.share)} ${percent(reorder.correlation ?? 0)}`] : []),
  ];
}

function jitterWords(jitter: Jitter | undefined): string[] {
  if (jitter === undefined) return [];
  // Uniform is what netem does without a table.
  const table = jitter.distribution === undefined || jitter.distribution === 'uniform' ? [] : [`distribution ${jitter.distribution}`];
  return [micros(jitter.ms), percent(jitter.correlation ?? 0), ...table];
}

// gemodel's last two are losses, although tc-netem(8) names them by their complements: 1-h in the bad state, 1-k in the good.
function lossWords(loss: Loss): string {
  if (loss.model === 'independent') return `loss random ${percent(loss.share)}`;
  return `loss gemodel ${[loss.p, loss.r, loss.lossBad ?? 1, loss.lossGood ?? 0].map(percent).join(' ')}`;
}

/**
 * Packets that netem holds before it drops some: more than ever come. On their way are at most as many as the direction carries in
 * its longest delay, at 256 bytes a packet (about half of a page's packets are short acknowledgements); older kernels count
 * the bottleneck's queue here too, which may be full of the shortest.
 */
function netemLimit(shape: Shape, delayMs: number): number {
  const maxDelayMs = delayMs + 4 * (shape.jitter?.ms ?? 0);
  const onTheirWayBytes = (Math.max(shape.rateKbps ?? 0, unshapedKbps) / 8) * maxDelayMs;
  return 1_000 + Math.ceil(onTheirWayBytes / 256) + Math.ceil((queueBytesOf(shape) ?? 0) / 60);
}

/**
 * tbf's bucket holds one frame and what the rate brings while the timer is late. A smaller one would lose rate, a larger one would
 * let the start of a page through at once: this one is 1.8 kB at 1 Mbit/s and 26.5 kB at 100 Mbit/s.
 */
function tbfWords(shape: Shape, rateKbps: number): string {
  const burstBytes = frameBytes + Math.ceil((rateKbps / 8) * latestTimerMs);
  return `tbf rate ${Math.round(rateKbps * 1_000)}bit burst ${burstBytes}b limit ${queueBytesOf(shape)}b`;
}

const micros = (ms: number) => `${Math.round(ms * 1_000)}us`;

/** tc keeps shares in steps of 2^-32. */
const percent = (share: number) => `${(share * 100).toFixed(8).replace(/\.?0+$/, '')}%`;
