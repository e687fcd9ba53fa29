// Differences between the setups and environments of two campaigns, to be read before their numbers.

import type { Campaign } from '../../schemas/campaign.ts';
import type { CampaignDifference } from '../../schemas/campaign-comparison.ts';
import type { Environment } from '../../schemas/environment.ts';
import { workloadOf } from '../../schemas/workload.ts';
import { conditionDetails } from '../../text/condition.ts';
import { counted, listed, protocolName } from '../../text/numbers.ts';
import { visitorWords } from '../../text/visitor.ts';
import { workloadWords } from '../../text/workload.ts';
import { sameCondition, sameSite } from '../gate/baseline-evidence.ts';
import { engineWords } from './setup-key.ts';

/** One of the two campaigns. */
interface Setup {
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites' | 'location'>;
  /** The environments of its visits. */
  environments: readonly Environment[];
  /** The backends of its link checks. */
  backends: ReadonlySet<string>;
}

type Consequence = CampaignDifference['consequence'];
type Trait = { what: CampaignDifference['what']; of: (setup: Setup) => string; consequence: Consequence; words: string };

const none = 'not known';
const each = (texts: Iterable<string>) => [...new Set(texts)].sort().join('; ') || none;

/** Each describes one property of a campaign; two campaigns with different descriptions differ in it. */
const traits: readonly Trait[] = [
  {
    what: 'rounds',
    of: ({ campaign: { spec } }) =>
      spec.maximumRounds === null ? `${spec.rounds}` : `${spec.rounds}, until settled at most ${spec.maximumRounds}`,
    consequence: 'precision',
    words: 'The campaign with fewer rounds is measured less precisely; intervals and tests take that into account.',
  },
  {
    what: 'engine',
    of: ({ campaign }) => engineWords(campaign.spec),
    consequence: 'confounded',
    words: 'Engines measure times differently, and SpeedIndex from frames differs from SpeedIndex from a video.',
  },
  {
    what: 'discovery',
    of: ({ campaign }) => campaign.spec.discovery,
    consequence: 'confounded',
    words: 'If forced, HTTP/3 also carries the first requests; with Alt-Svc they use HTTP/2 unless an HTTPS record names HTTP/3.',
  },
  {
    what: 'isolation',
    of: ({ campaign: { spec }, environments }) =>
      spec.isolation === 'auto' ? each(environments.flatMap(({ isolation = [] }) => isolation)) : spec.isolation,
    consequence: 'confounded',
    words: 'A fresh Chrome, in a container or not, loads pages more slowly than a fresh context in a running one.',
  },
  {
    what: 'prime',
    of: ({ campaign }) => (campaign.spec.prime === true ? 'one load before each round' : 'no load before a round'),
    consequence: 'confounded',
    words: 'A load before each round warms the caches of the servers.',
  },
  {
    what: 'browser',
    of: ({ campaign }) => campaign.spec.browser,
    consequence: 'confounded',
    words: 'The headless shell loads pages in less time than full Chrome.',
  },
  {
    what: 'location',
    of: ({ campaign }) => campaign.location ?? 'any',
    consequence: 'confounded',
    words: 'Runners at other locations have other paths to the site.',
  },
  {
    what: 'visitor',
    of: ({ campaign: { spec, sites } }) =>
      [
        visitorWords(spec.visitor ?? {}),
        ...sites.flatMap(({ name, visitor }) => (visitor === undefined ? [] : [`${name}: ${visitorWords(visitor)}`])),
      ].join('; '),
    consequence: 'confounded',
    words: 'A page may differ by visitor, such as on a phone or behind a login.',
  },
  {
    what: 'workload',
    of: ({ campaign: { spec, sites } }) => each(sites.flatMap((site) => workloadOf(spec, site) ?? []).map(workloadWords)),
    consequence: 'confounded',
    words: 'Runs that send other requests, or send them differently, have other times.',
  },
  {
    what: 'limits',
    of: ({ campaign: { spec } }) => JSON.stringify(spec.limits),
    consequence: 'confounded',
    words: 'The campaigns decide differently when a visit ends, and which ones are invalid.',
  },
  {
    what: 'link',
    of: ({ environments, backends }) => each([...environments.map(({ link }) => link.backend), ...backends]),
    consequence: 'confounded',
    words: 'Links of different kinds behave slightly differently under one condition.',
  },
  {
    what: 'chrome',
    of: ({ environments }) => each(environments.map(({ browser }) => browser.product)),
    consequence: 'confounded',
    words: 'A difference may come from Chrome rather than from the page.',
  },
  {
    what: 'machine',
    of: ({ environments }) =>
      each(
        environments.map(
          ({ machine, cpuSlowdown }) =>
            `${machine.cpu}, ${counted(machine.cores, 'core')}${cpuSlowdown === undefined ? '' : `, made ${cpuSlowdown.factor} times slower`}`,
        ),
      ),
    consequence: 'confounded',
    words: 'If the CPU limits a page, a difference may come from the machine.',
  },
  {
    what: 'release',
    of: ({ environments }) => each(environments.map(({ runner }) => `runner ${runner.version}`)),
    consequence: 'confounded',
    words: 'Releases of Pronghorn may measure differently.',
  },
  {
    what: 'origin',
    of: ({ environments }) =>
      [...new Set(environments.flatMap(({ origin }) => (origin === null ? [] : [JSON.stringify(origin)])))].sort().join('; ') ||
      'the site’s own',
    consequence: 'confounded',
    words: 'The server or its settings differ.',
  },
];

/** Differences that exclude something come first. */
export function campaignDifferences(one: Setup, other: Setup): CampaignDifference[] {
  const differences = traits.flatMap(({ what, of, consequence, words }): CampaignDifference[] => {
    const [campaign, baseline] = [of(one), of(other)];
    // Unknown values may be equal.
    if (campaign === baseline || campaign === none || baseline === none) return [];
    return [{ what, campaign, baseline, consequence, words }];
  });
  return [...leftOut(one.campaign, other.campaign), ...differences];
}

type Compared = Setup['campaign'];

function leftOut(one: Compared, other: Compared): CampaignDifference[] {
  const protocolsOf = ({ spec }: Compared) => [...new Set(spec.protocols)].map(protocolName);
  const differences: CampaignDifference[] = [];
  const add = (what: CampaignDifference['what'], campaign: readonly string[], baseline: readonly string[], words: string) => {
    if (campaign.length + baseline.length === 0) return;
    differences.push({ what, campaign: only(campaign), baseline: only(baseline), consequence: 'left-out', words });
  };
  add(
    'sites',
    one.sites.filter((site) => sameSite(site, other.sites) === undefined).map(({ name }) => name),
    other.sites.filter((site) => sameSite(site, one.sites) === undefined).map(({ name }) => name),
    'Sites that only one campaign has are not compared.',
  );
  const conditionsOf = (mine: Compared, theirs: Compared) =>
    mine.spec.conditions
      .filter(({ name }) => !sameCondition(name, mine.spec, theirs.spec))
      .map((condition) => {
        // Conditions of the same name differ in their numbers.
        const isNamesake = theirs.spec.conditions.some(({ name }) => name === condition.name);
        return isNamesake ? `${condition.name} (${conditionDetails(condition)})` : condition.name;
      });
  add(
    'conditions',
    conditionsOf(one, other),
    conditionsOf(other, one),
    'Conditions that only one campaign has, or has with other numbers, are not compared.',
  );
  const viewsOf = (mine: Compared, theirs: Compared) => mine.spec.views.filter((view) => !theirs.spec.views.includes(view));
  add('views', viewsOf(one, other), viewsOf(other, one), 'Views that only one campaign has are not compared.');
  const missing = (mine: Compared, theirs: Compared) => protocolsOf(mine).filter((protocol) => !protocolsOf(theirs).includes(protocol));
  add(
    'protocols',
    missing(one, other),
    missing(other, one),
    'Protocols that only one campaign has are not compared; in its rounds more visits lie between those of the others.',
  );
  return differences;
}

const maxNamed = 5;
const only = (names: readonly string[]): string => {
  if (names.length === 0) return 'nothing more';
  return `also ${names.length > maxNamed ? `${listed(names.slice(0, maxNamed))} and ${names.length - maxNamed} more` : listed(names)}`;
};
