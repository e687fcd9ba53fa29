// Two campaigns of a page that did not change: how often they differ by protocol, beside by the ratio of protocols.
// Takes 30 seconds. node bench statistics/two-campaigns [PAIRS, default 1000]
//
// Campaigns differ as a whole: in what day, server and machine do to both protocols alike, and in what they do to one of them. Seeded.
import { madeUp, spread } from '../../packages/core/fixtures/made-campaign.ts';
import { streamComparison } from '../../packages/core/src/campaign/index.ts';
import { proportion, randomSource } from '../../packages/core/src/math/index.ts';

const pairs = Number(process.argv[2] ?? 1000);
/** Standard deviation of ln time between visits of one campaign, beside what its round has in common. */
const visits = 0.1;
const random = randomSource(20261121);

type Days = { rounds: number; both?: number; ratio?: number };

/** @param days standard deviations of what a campaign does to ln time as a whole: of both protocols, and of HTTP/3 against HTTP/2. */
function toldApart({ rounds, both = 0, ratio = 0 }: Days): string[] {
  const campaign = (id: string) => {
    const [day, lead] = [spread(random, both), spread(random, ratio)];
    const onLoad = (protocol: string) => 1000 * day * (protocol === 'h3' ? lead : 1) * spread(random, visits);
    return { ...madeUp(({ protocol }) => ({ onLoad: onLoad(protocol) }), { id, rounds }), environments: [] };
  };
  let [protocols, leads] = [0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    const [cell] = streamComparison(campaign('2'), campaign('1'), 'onLoad').cells;
    if (cell?.protocols.some(({ outcome }) => outcome !== 'undecided')) protocols++;
    if (cell?.lead?.outcome !== 'undecided') leads++;
  }
  return [protocols, leads].map((count) => {
    const { share, low, high } = proportion(count, pairs);
    return `${(100 * share).toFixed(1)} % [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
  });
}

console.log(`${pairs} pairs of campaigns, visits spread by ${visits * 100} %; shares with their 95 % intervals`);
console.log('campaigns differ by | in | rounds | HTTP/2 or HTTP/3 told apart | lead told apart');
for (const rounds of [20, 50]) {
  for (const both of [0, 0.01, 0.02, 0.05])
    console.log(`${both * 100} % | both protocols | ${rounds} | ${toldApart({ rounds, both }).join(' | ')}`);
  for (const ratio of [0.01, 0.02, 0.03, 0.05])
    console.log(`${ratio * 100} % | their ratio | ${rounds} | ${toldApart({ rounds, ratio }).join(' | ')}`);
}
