// What would become of a campaign if it were made now: every choice, what speaks against it, how long it takes, what it can show.
import Type, { type Static } from 'typebox';
import { CampaignSpec, SiteRequest } from './campaign.ts';
import { orNull, TimeOrNull } from './fields.ts';
import { Problem } from './problem.ts';

const { seed: _drawnWhenItIsMade, ...ofAll } = CampaignSpec.properties;
const chosen = { ...ofAll, sites: Type.Array(SiteRequest) };
const { pointer } = (Problem.properties.errors as unknown as { items: { properties: { pointer: Type.TString } } }).items.properties;
const ms = (description: string) => orNull(Type.Number({ minimum: 0 }), description);

/** How long rounds like these took before. */
export const ExpectedDuration = Type.Object({
  roundsMs: ms('All its rounds one after another, as on one runner. Null: no round was performed yet.'),
  mostRoundsMs: ms('The same until `maximumRounds`; as `roundsMs` where that is null.'),
  aheadMs: ms('Rounds of other campaigns that go before its last one. Null: nobody knows.'),
  runnersAble: Type.Integer({ description: 'Runners that are there and can do all of it.' }),
  doneAt: TimeOrNull('ISO 8601; when it would be done. Null: that cannot be said, and `why` tells why.'),
  why: orNull(Type.String(), 'Why there is no `doneAt`, in words; null: there is one.'),
  basis: orNull(Type.String(), 'On what rounds this rests, in words; null: on none.'),
});
export type ExpectedDuration = Static<typeof ExpectedDuration>;

const relative = (description: string) =>
  orNull(
    Type.Number({ minimum: 0 }),
    `${description} 0.05: HTTP/3 slower by 5 %, or faster by 1 − 1 ÷ 1.05. Null: no difference, however large.`,
  );

/** The smallest difference that so many rounds find, on the primary metric between h3 and h2. */
export const DetectableDifference = Type.Object({
  rounds: Type.Integer({ description: 'Of each site, condition and view, at the last look.' }),
  fewestRounds: Type.Integer({ description: 'Of fewer no data could show a difference.' }),
  power: Type.Number({ description: 'The chance that such a difference is found.' }),
  level: Type.Number({ description: 'Of the test: 0.05, less what goes to other comparisons and to earlier looks.' }),
  comparisons: Type.Integer({ description: 'Of the campaign, corrected together.' }),
  assumed: Type.Array(
    Type.Object({
      spread: Type.Number({ description: 'Standard deviation of ln(h3 ÷ h2) from round to round: 0.05 is about 5 %. An assumption.' }),
      relative: relative('The smallest difference found with that spread.'),
    }),
  ),
  seen: orNull(
    Type.Object({
      groups: Type.Integer({ description: 'Of the sites, conditions and views, how many were measured before.' }),
      ofGroups: Type.Integer({ description: 'How many there are.' }),
      rounds: Type.Integer({ description: 'That it rests on.' }),
      spread: Type.Number({ description: 'Standard deviation of ln(h3 ÷ h2), the median over these groups.' }),
      relative: relative('The smallest difference found in the middle one of these groups.'),
      giveOrTake: Type.Number({
        description: 'How far from the truth that may be, as a share of it: so few rounds say little of how rounds differ.',
      }),
      best: relative('In the one whose rounds show the most.'),
      worst: relative('In the one whose rounds show the least.'),
    }),
    'From earlier campaigns of the same sites under the same conditions; null: there are none.',
  ),
  words: Type.String({ description: 'All this in a sentence or two.' }),
});
export type DetectableDifference = Static<typeof DetectableDifference>;

/** What runs of REST calls would do. */
export const RunsToCome = Type.Object({
  words: Type.Array(Type.String(), { description: 'Of each workload among the sites, a sentence that says what each run does.' }),
  requests: orNull(Type.Integer({ minimum: 0 }), 'Of all runs; null: time ends some of them.'),
  sentBytes: orNull(Type.Integer({ minimum: 0 }), 'Of all bodies; null as `requests`.'),
  leastMs: Type.Number({
    minimum: 0,
    description: 'That all runs take at least, one after another, since time ends them; 0: nothing is known.',
  }),
});
export type RunsToCome = Static<typeof RunsToCome>;

/** A campaign's request as it would be answered, without anything being made. */
export const CampaignPreview = Type.Object({
  spec: orNull(
    Type.Object(chosen),
    'Every choice made, but for a seed that was not named. Null: it cannot be run, and `problems` say why.',
  ),
  rounds: orNull(Type.Integer(), 'In all: sites × conditions × views × rounds. Null as `spec`.'),
  mostRounds: orNull(Type.Integer(), 'The same with `maximumRounds`; as `rounds` where that is null.'),
  visits: orNull(Type.Integer(), 'That count: rounds × protocols.'),
  runs: orNull(RunsToCome, 'Of the engine transaction; null as `spec`, and of pages.'),
  problems: Type.Array(
    Type.Object({
      pointer,
      detail: Type.String(),
      type: Type.String({ description: 'Of the problem that making it would be answered with.' }),
    }),
    { description: 'Why it would be refused now; empty: it would be taken.' },
  ),
  warnings: Type.Array(Type.Object({ pointer, detail: Type.String() }), { description: 'What it would be made in spite of.' }),
  duration: orNull(ExpectedDuration, 'Null as `spec`.'),
  detectable: orNull(DetectableDifference, 'Null as `spec`, and where h3 is not compared with h2.'),
});
export type CampaignPreview = Static<typeof CampaignPreview>;
