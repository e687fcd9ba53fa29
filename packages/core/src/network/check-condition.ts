// Problems of a condition that fits its schema: what tc would refuse, or silently do differently.
import { type Condition, conditionNamePattern, type Jitter, type Loss, type Shape } from '../schemas/condition.ts';
import { listed } from '../text/numbers.ts';
import { conditionSetNamed } from '../vocabulary/condition-set.ts';
import { conditionNamed } from './presets.ts';
import { type Direction, delayOf, directions, doTheSame, isLossy, lossShareOf, needsShaping, rttOf } from './shaping.ts';

/** `pointer` is a JSON pointer into the condition (/up/jitter/ms); `detail` says what was found, what was expected, and what to do. */
type ConditionFault = { pointer: string; detail: string };

/** At a lower rate, a single full packet takes longer than most timeouts; and tc has no rate below 8 bit/s. */
const minKbps = 8;
/** Above this, the mean and median delay are no longer the condition's. */
const maxReorderedShare = 0.5;

/**
 * @param condition as in its schema; callers check conditions from files and bodies first
 * @returns every fault; empty if a link that does what the condition says also does what its author means
 */
export function checkCondition(condition: Condition): ConditionFault[] {
  const faults = [...nameFaults(condition)];
  if (faults.length === 0 && conditionNamed(condition.name)) return faults; // a preset, given whole
  if (!needsShaping(condition)) {
    faults.push({ pointer: '', detail: `Condition ${condition.name} does nothing to packets. Use native instead.` });
  }
  if (isLossy(condition) && rttOf(condition) === 0 && condition.baseRttMs === undefined) {
    faults.push({
      pointer: '/baseRttMs',
      detail:
        'Packets are lost on a path without any delay: that measures the CPU and not how loss is repaired. Give baseRttMs, such as 20; or 0 if that is meant.',
    });
  }
  return [...faults, ...directions.flatMap((direction) => directionFaults(condition, direction))];
}

function nameFaults(condition: Condition): ConditionFault[] {
  const { name } = condition;
  const pointer = '/name';
  if (!new RegExp(conditionNamePattern).test(name)) {
    const expected = '1 to 63 lower-case letters, digits, dots and hyphens, a letter or digit first';
    return [{ pointer, detail: `The name is ${JSON.stringify(name)}; expected ${expected}.` }];
  }
  const set = conditionSetNamed(name);
  if (set) return [{ pointer, detail: `${name} is the set of ${listed(set.conditions)}. Give it another name.` }];
  const preset = conditionNamed(name);
  if (preset && !doTheSame(preset, condition)) {
    return [
      {
        pointer,
        detail: `${name} is a preset, and this is another condition. Give it another name, or ask for ${name} by its name alone.`,
      },
    ];
  }
  const [, ms] = /\.rtt-(\d+(?:\.\d+)?)$/.exec(name) ?? [];
  if (!preset && ms !== undefined && !(isLossy(condition) && condition.baseRttMs === Number(ms))) {
    return [
      { pointer, detail: `A name that ends in .rtt-${ms} is that of a lossy condition with baseRttMs ${ms}. Give this one another name.` },
    ];
  }
  return [];
}

function directionFaults(condition: Condition, direction: Direction): ConditionFault[] {
  const shape = condition[direction];
  const delayMs = delayOf(condition, direction);
  return [...jitterFaults(shape, delayMs), ...lossFaults(shape), ...rateFaults(shape), ...orderFaults(shape, delayMs)].map(
    ({ pointer, detail }) => ({ pointer: `/${direction}${pointer}`, detail }),
  );
}

function jitterFaults({ jitter }: Shape, delayMs: number): ConditionFault[] {
  if (jitter === undefined) return [];
  const faults: ConditionFault[] = [];
  const reachMs = reachOf(jitter);
  if (delayMs < reachMs) {
    const spread = jitter.distribution === undefined || jitter.distribution === 'uniform' ? '' : `${jitter.distribution} `;
    faults.push({
      pointer: '/jitter/ms',
      detail:
        `A ${spread}jitter of ${jitter.ms} ms reaches ${reachMs} ms below its middle, and the delay is ${delayMs} ms: what falls below 0 would be sent ` +
        'at once, so that the mean is higher and the spread smaller than requested. Give a longer delay or a smaller jitter.',
    });
  }
  if (jitter.correlation === 1) {
    faults.push({
      pointer: '/jitter/correlation',
      detail: 'With a correlation of 1 every packet has the delay of the first. Give less than 1, or no jitter.',
    });
  }
  return faults;
}

/** How far delays go below the middle. netem's tables end 2.7 (pareto) to 4 (normal) deviations below it; the last is rare. */
const reachOf = ({ ms, distribution = 'uniform' }: Jitter) => (distribution === 'uniform' ? ms : 3 * ms);

function lossFaults(shape: Shape): ConditionFault[] {
  const { loss } = shape;
  if (loss === undefined) return [];
  const faults = loss.model === 'gilbert-elliott' ? burstFaults(loss) : [];
  if (faults.length === 0 && lossShareOf(shape) >= 1) {
    faults.push({ pointer: '/loss', detail: 'Every packet is lost, so no page can load. Give a share below 1.' });
  }
  return faults;
}

function burstFaults({ p, r, lossBad = 1, lossGood = 0 }: Extract<Loss, { model: 'gilbert-elliott' }>): ConditionFault[] {
  const faults: ConditionFault[] = [];
  if (p === 0)
    faults.push({ pointer: '/loss/p', detail: 'With p = 0 it never goes bad. Give the chance per packet, or use independent loss.' });
  if (r === 0)
    faults.push({ pointer: '/loss/r', detail: 'With r = 0 it stays bad forever. Give 1 ÷ the mean length of a burst in packets.' });
  if (lossBad <= lossGood) {
    const values = `lossBad is ${lossBad} and lossGood ${lossGood}`;
    faults.push({ pointer: '/loss/lossBad', detail: `${values}: the bad state must lose more. Swap them, or use independent loss.` });
  }
  return faults;
}

function rateFaults({ rateKbps, queueBytes }: Shape): ConditionFault[] {
  if (rateKbps === undefined) {
    if (queueBytes === undefined) return [];
    return [
      { pointer: '/queueBytes', detail: 'A queue builds up before a bottleneck, and there is none. Give rateKbps too, or leave it out.' },
    ];
  }
  if (rateKbps >= minKbps) return [];
  return [
    {
      pointer: '/rateKbps',
      detail: `The rate is ${rateKbps} kbit/s; expected at least ${minKbps}. Rates are in thousands of bits a second.`,
    },
  ];
}

function orderFaults({ reorder, rateKbps, duplicateShare }: Shape, delayMs: number): ConditionFault[] {
  const faults: ConditionFault[] = [];
  if (reorder !== undefined) {
    const pointer = '/reorder';
    if (delayMs === 0) {
      faults.push({ pointer, detail: 'A packet overtakes others by going without their delay, and there is none. Give delayMs too.' });
    }
    if (reorder.share > maxReorderedShare) {
      const overtaking = `${reorder.share} of the packets would go without the delay`;
      faults.push({
        pointer: `${pointer}/share`,
        detail: `${overtaking}, which is then not the delay of the condition; expected at most ${maxReorderedShare}.`,
      });
    }
    if ((reorder.correlation ?? 0) > 0) {
      faults.push({
        pointer: `${pointer}/correlation`,
        detail:
          'netem’s correlated numbers crowd around one half: with them the reordered share differs from the requested one. Leave it out.',
      });
    }
    if (rateKbps !== undefined) {
      faults.push({
        pointer,
        detail:
          'netem sends a packet that overtakes past the bottleneck too, so that the rate would not hold. Leave out reorder or rateKbps.',
      });
    }
  }
  if (duplicateShare === 1) {
    faults.push({
      pointer: '/duplicateShare',
      detail: 'Every packet would be sent twice, which no known network does. Give a share below 1.',
    });
  }
  return faults;
}
