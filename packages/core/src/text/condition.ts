// A condition in words, the same in the terminal, the dashboard and the API.

import { isNative, lossShareOf, queueBytesOf, rttOf } from '../network/shaping.ts';
import type { Condition, Jitter, Loss, Shape } from '../schemas/condition.ts';
import { decimal, percent, rateWords } from './numbers.ts';

/**
 * Such as `+100 ms RTT, 10 Mbit/s both ways, 2 % loss each way`. The delay is that of a round trip, wherever it is added; up and down are
 * told apart only where they differ.
 */
export const describeCondition = (condition: Condition): string => conditionFacts(condition).join(', ') || 'nothing added';

/** The parts of `describeCondition`; none for native. */
export function conditionFacts(condition: Condition): string[] {
  const { up, down } = condition;
  const fact = (words: (shape: Shape) => string, both = 'each way'): string[] => {
    const [sent, received] = [words(up), words(down)];
    if (sent === received) return sent === '' ? [] : [`${sent} ${both}`];
    return [[received && `${received} down`, sent && `${sent} up`].filter(Boolean).join(', ')];
  };
  const rtt = rttOf(condition);
  return [
    ...(rtt > 0 ? [`+${decimal(rtt)} ms RTT`] : []),
    ...fact(({ rateKbps }) => (rateKbps === undefined ? '' : rateWords(rateKbps)), 'both ways'),
    ...fact((shape) => (lossShareOf(shape) > 0 ? `${percent(lossShareOf(shape), 3)} loss${isInBursts(shape) ? ' in bursts' : ''}` : '')),
    ...fact(({ jitter }) => (jitter ? `±${decimal(jitter.ms)} ms jitter` : '')),
    ...fact(reorderedWords),
    ...fact(duplicatedWords),
  ];
}

const isInBursts = ({ loss }: Shape) => loss?.model === 'gilbert-elliott';
const reorderedWords = ({ reorder }: Shape) => (reorder && reorder.share > 0 ? `${percent(reorder.share)} reordered` : '');
const duplicatedWords = ({ duplicateShare = 0 }: Shape) => (duplicateShare > 0 ? `${percent(duplicateShare)} duplicated` : '');

/**
 * All of a condition, where it stands alone: `50 ms delay up; 10 Mbit/s, 32 KB queue, 2 % loss each way`. Common effects of both directions are
 * named once; the base RTT is separate from the delays.
 */
export function conditionDetails(condition: Condition): string {
  if (isNative(condition)) return 'nothing added';
  const { up, down, baseRttMs = 0 } = condition;
  const both: Named[] = [];
  const alone: Record<'up' | 'down', Named[]> = { up: [], down: [] };
  traits.forEach((trait, place) => {
    const [sent, received] = [trait(up), trait(down)];
    if (sent === received && sent !== '') both.push({ place, text: sent });
    if (sent !== received && sent !== '') alone.up.push({ place, text: sent });
    if (sent !== received && received !== '') alone.down.push({ place, text: received });
  });
  const directions = [
    { traits: alone.up, where: 'up' },
    { traits: alone.down, where: 'down' },
    { traits: both, where: 'each way' },
  ]
    .filter((direction) => direction.traits.length > 0)
    .sort((one, other) => (one.traits[0]?.place ?? 0) - (other.traits[0]?.place ?? 0))
    .map((direction) => `${direction.traits.map(({ text }) => text).join(', ')} ${direction.where}`);
  return [...(baseRttMs > 0 ? [`base RTT ${decimal(baseRttMs)} ms`] : []), ...directions].join('; ');
}

type Named = { place: number; text: string };

/** Each describes one effect in a direction, or none. */
const traits: ((shape: Shape) => string)[] = [
  ({ delayMs = 0, jitter }) => (jitter ? delayWithJitter(delayMs, jitter) : delayMs > 0 ? `${decimal(delayMs)} ms delay` : ''),
  (shape) => (shape.rateKbps === undefined ? '' : `${rateWords(shape.rateKbps)}, ${queueWords(queueBytesOf(shape))}`),
  (shape) => (shape.loss && lossShareOf(shape) > 0 ? lossWords(shape.loss, lossShareOf(shape)) : ''),
  reorderedWords,
  duplicatedWords,
];

function delayWithJitter(delayMs: number, { ms, distribution = 'uniform', correlation = 0 }: Jitter): string {
  const how = [distribution, ...(correlation > 0 ? [`correlation ${decimal(correlation)}`] : [])].join(', ');
  return `${decimal(delayMs)} ± ${decimal(ms)} ms delay (${how})`;
}

/** Queues come in powers of two and in powers of ten: 32 KB are 32,768 bytes, 125 kB are 125,000. */
function queueWords(bytes: number): string {
  return `${bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${decimal(bytes / 1000)} kB`} queue`;
}

function lossWords(loss: Loss, mean: number): string {
  if (loss.model === 'independent') return `${percent(mean)} loss`;
  const { p, r, lossBad = 1, lossGood = 0 } = loss;
  const states = [`p ${percent(p)}`, `r ${percent(r)}`];
  if (lossBad !== 1) states.push(`${percent(lossBad)} of the bad`);
  if (lossGood !== 0) states.push(`${percent(lossGood)} of the good`);
  return `${percent(mean)} loss in bursts (${states.join(', ')})`;
}
