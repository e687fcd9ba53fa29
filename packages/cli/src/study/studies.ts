// The studies that a campaign can repeat: what they measured, the campaign that repeats it, and the differences.
import { conditionNamed } from '@pronghorn/core/network';
import type { Campaign, Condition, MetricName } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';

export const studyNames = ['paper', 'kiwee'] as const;
export type StudyName = (typeof studyNames)[number];

export interface Study {
  /** Name of its campaigns, which identifies them. */
  name: string;
  conditions: readonly {
    condition: Condition;
    /** The study's own condition. */
    theirs: string;
    note: string;
  }[];
  protocols: readonly Protocol[];
  rounds: number;
  primaryMetric: MetricName;
}

const preset = (name: string): Condition => {
  const condition = conditionNamed(name);
  if (condition === undefined) throw new Error(`there is no condition ${name}`);
  return condition;
};

const onUplink = 'only on the uplink, so the round trip grows by the same amount';
const lossNote =
  'Each direction loses that share. A base RTT of 20 ms stands for the path to a public server, which a lab lacks: without it loss measures the CPU. ' +
  'Public sites add their own path (--base-rtt 0 leaves it out).';

const paper: Study = {
  name: 'Trevisan et al. 2021, again',
  conditions: [
    {
      condition: preset('native'),
      theirs: 'native: 1 Gbit/s Ethernet of a campus in Turin',
      note: 'Once; in the paper’s count of visits three times, once for each parameter.',
    },
    ...[50, 100, 200].map((ms) => ({ condition: preset(`latency-${ms}`), theirs: `+${ms} ms ${onUplink}`, note: '' })),
    ...[1, 2, 5].map((percent) => ({ condition: preset(`loss-${percent}`), theirs: `${percent} % in both directions`, note: lossNote })),
    ...[5, 2, 1].map((mbps) => ({
      condition: preset(`bandwidth-${mbps}`),
      theirs: `${mbps} Mbit/s in both directions, queue of 32 KB`,
      note: '',
    })),
  ],
  protocols: ['h1', 'h2', 'h3'],
  rounds: 5,
  primaryMetric: 'onLoad',
};

const roundTrip = (name: string, ms: number): Condition => ({
  name,
  description: `RTT ${ms} ms, half of it in each direction.`,
  source: 'An assumption: Kiwee 2023 names places, but no round trips.',
  up: { delayMs: ms / 2 },
  down: { delayMs: ms / 2 },
});

const lte = preset('lte');
const assumedRtt = 'The round trip is assumed, since the article has none.';

const kiwee: Study = {
  name: 'Kiwee 2023, again',
  conditions: [
    { condition: roundTrip('kiwee-near', 4), theirs: 'K-NUE: from Nürnberg to northern Germany', note: assumedRtt },
    { condition: roundTrip('kiwee-mid', 30), theirs: 'K-HEL from Helsinki; K-FIB from Wrocław', note: `${assumedRtt} No Wi-Fi.` },
    { condition: roundTrip('kiwee-far', 100), theirs: 'K-IAD: from Ashburn, Virginia', note: assumedRtt },
    { condition: lte, theirs: 'K-LTE: a hotspot in Wrocław', note: 'A common profile stands for that network.' },
    {
      condition: {
        name: 'kiwee-bad',
        description: 'lte with 100 ms and 15 % loss more on what the client sends.',
        source:
          'Kiwee 2023: 100 ms and about 15 % with tc. The article names neither direction nor interface; tc shapes only what a machine sends.',
        up: { ...lte.up, delayMs: (lte.up.delayMs ?? 0) + 100, loss: { model: 'independent', share: 0.15 } },
        down: lte.down,
      },
      theirs: 'K-BAD: K-LTE, 100 ms and about 15 % loss more',
      note: 'On the uplink: tc shapes what a machine sends, and the article names no direction.',
    },
  ],
  protocols: ['h1', 'h2', 'h3'],
  rounds: 50,
  primaryMetric: 'linkedDownload',
};

export const studies: Readonly<Record<StudyName, Study>> = { paper, kiwee };

export const locationsOf: Readonly<Record<string, readonly string[]>> = {
  ...{ 'kiwee-near': ['K-NUE'], 'kiwee-mid': ['K-HEL', 'K-FIB'], 'kiwee-far': ['K-IAD'], lte: ['K-LTE'], 'kiwee-bad': ['K-BAD'] },
};

/** The study that a campaign was made to repeat; undefined for all others. */
export const studyOf = ({ spec }: Pick<Campaign, 'spec'>): StudyName | undefined =>
  studyNames.find((name) => studies[name].name === spec.name);
