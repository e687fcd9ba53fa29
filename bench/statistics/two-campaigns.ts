// How often two campaigns of a page that did not change are told apart, for campaigns that differ as a whole: by the day, the server, the
// machine. `node bench/statistics/two-campaigns.ts [pairs]`; figures in docs/decisions/0019-two-campaigns.md.
import { madeUp, spread } from '../../packages/core/fixtures/made-up-campaign.ts';
import { randomSource, streamComparison } from '../../packages/core/src/index.ts';

const pairs = Number(process.argv[2] ?? 1000);
const rounds = 20;
/** Standard deviation of ln time between visits of one campaign, beside what its round has in common. */
const visits = 0.1;
const random = randomSource(20261121);

console.log(`${pairs} pairs of campaigns, ${rounds} rounds, visits spread by ${visits * 100} %`);
console.log('campaigns differ by | HTTP/2 or HTTP/3 told apart | lead told apart');
for (const days of [0, 0.01, 0.02, 0.05]) {
  const campaign = (id: string) => {
    const day = spread(random, days);
    return { ...madeUp(() => ({ onLoad: 1000 * day * spread(random, visits) }), { id, rounds }), environments: [] };
  };
  let [protocols, leads] = [0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    const [place] = streamComparison(campaign('2'), campaign('1'), 'onLoad').places;
    if (place?.protocols.some(({ outcome }) => outcome !== 'undecided')) protocols++;
    if (place?.lead?.outcome !== 'undecided') leads++;
  }
  const share = (count: number) => `${((100 * count) / pairs).toFixed(1)} %`;
  console.log(`${days * 100} % | ${share(protocols)} | ${share(leads)}`);
}
