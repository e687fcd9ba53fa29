// A preview of a campaign: all choices, problems, expected duration, and detectable difference.
import Type, { type Static } from 'typebox';
import { CampaignSpec, SiteRequest } from './campaign.ts';
import { orNull, TimeOrNull } from './fields.ts';
import { Problem } from './problem.ts';

const { seed: _drawnWhenItIsMade, ...ofAll } = CampaignSpec.properties;
const chosen = { ...ofAll, sites: Type.Array(SiteRequest) };
const { pointer } = (Problem.properties.errors as unknown as { items: { properties: { pointer: Type.TString } } }).items.properties;
const ms = (description: string) => orNull(Type.Number({ minimum: 0 }), description);

/** The expected duration, from earlier rounds of the same kind. */
export const ExpectedDuration = Type.Object({
  roundsMs: ms('All its rounds in sequence, as on one runner. Null: no round was performed yet.'),
  maxRoundsMs: ms('The same with `maximumRounds`; equal to `roundsMs` if that is null.'),
  aheadMs: ms('Rounds of other campaigns that run before its last one. Null: unknown.'),
  runnersAble: Type.Integer({ description: 'Available runners that can perform all of it.' }),
  doneAt: TimeOrNull('ISO 8601; expected end. Null: unknown; `why` gives the reason.'),
  why: orNull(Type.String(), 'Why there is no `doneAt`; null: there is one.'),
  basis: orNull(Type.String(), 'The rounds that this is based on, in words; null: none.'),
});
export type ExpectedDuration = Static<typeof ExpectedDuration>;

const relative = (description: string) =>
  orNull(
    Type.Number({ minimum: 0 }),
    `${description} 0.05: HTTP/3 is 5 % slower, or faster by 1 − 1 ÷ 1.05. Null: no difference can be detected, however large.`,
  );

/** The smallest difference that this many rounds detect, on the primary metric between h3 and h2. */
export const DetectableDifference = Type.Object({
  rounds: Type.Integer({ description: 'Rounds of each site, condition and view, at the last look.' }),
  minRounds: Type.Integer({ description: 'With fewer rounds, no data can show a difference.' }),
  power: Type.Number({ description: 'Probability of detecting the difference.' }),
  level: Type.Number({ description: 'Significance level: 0.05, minus the part spent on other comparisons and on earlier looks.' }),
  comparisons: Type.Integer({ description: 'Comparisons of the campaign, which are corrected together.' }),
  assumed: Type.Array(
    Type.Object({
      spread: Type.Number({ description: 'Standard deviation of ln(h3 ÷ h2) from round to round: 0.05 is about 5 %. An assumption.' }),
      relative: relative('Smallest detectable difference with that spread.'),
    }),
  ),
  seen: orNull(
    Type.Object({
      cells: Type.Integer({ description: 'Cells (site × condition × view) that were measured before.' }),
      ofCells: Type.Integer({ description: 'Cells in total.' }),
      rounds: Type.Integer({ description: 'Rounds that this is based on.' }),
      spread: Type.Number({ description: 'Standard deviation of ln(h3 ÷ h2), the median over these cells.' }),
      relative: relative('Smallest detectable difference in the median of these cells.'),
      giveOrTake: Type.Number({
        description: 'Uncertainty of these values, as a share: few rounds say little about the spread.',
      }),
      best: relative('In the cell with the best rounds.'),
      worst: relative('In the cell with the worst rounds.'),
    }),
    'From earlier campaigns with the same sites and conditions; null: there are none.',
  ),
  words: Type.String({ description: 'Summary in a sentence or two.' }),
});
export type DetectableDifference = Static<typeof DetectableDifference>;

/** The expected runs of REST calls. */
export const RunsToCome = Type.Object({
  words: Type.Array(Type.String(), { description: 'For each workload among the sites, a sentence about what one run does.' }),
  requests: orNull(Type.Integer({ minimum: 0 }), 'Requests of all runs; null: some runs end by time.'),
  sentBytes: orNull(Type.Integer({ minimum: 0 }), 'Bytes of all bodies; null as `requests`.'),
  minMs: Type.Number({
    minimum: 0,
    description: 'Minimum duration of all runs in sequence, by those that end by time; 0: unknown.',
  }),
});
export type RunsToCome = Static<typeof RunsToCome>;

/** A preview of the answer to a campaign's request. Nothing is created. */
export const CampaignPreview = Type.Object({
  spec: orNull(
    Type.Object(chosen),
    'The campaign with every choice made, except a seed that was not given. Null: it can’t be run; see `problems`.',
  ),
  rounds: orNull(Type.Integer(), 'Total: sites × conditions × views × rounds. Null as `spec`.'),
  maxRounds: orNull(Type.Integer(), 'Total with `maximumRounds`; equal to `rounds` if that is null.'),
  visits: orNull(Type.Integer(), 'Visits that count: rounds × protocols.'),
  runs: orNull(RunsToCome, 'For the engine transaction; null as `spec`, and for pages.'),
  problems: Type.Array(
    Type.Object({
      pointer,
      detail: Type.String(),
      type: Type.String({ description: 'Type of the problem that creating it would return.' }),
    }),
    { description: 'Why it would be rejected now; empty: it would be accepted.' },
  ),
  warnings: Type.Array(Type.Object({ pointer, detail: Type.String() }), { description: 'Issues that would not prevent its creation.' }),
  duration: orNull(ExpectedDuration, 'Null as `spec`.'),
  detectable: orNull(DetectableDifference, 'Null as `spec`, and if h3 is not compared with h2.'),
});
export type CampaignPreview = Static<typeof CampaignPreview>;
