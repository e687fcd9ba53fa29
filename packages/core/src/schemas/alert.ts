// What is wrong with sites until it is right again: regressions, failed gates, and sites that could not be measured.
import Type, { type Static } from 'typebox';
import { count, orNull, Time, TimeOrNull } from './fields.ts';
import { Page, pageQuery } from './page.ts';

export const alertKinds = ['regression', 'gate-failed', 'site-unmeasured'] as const;
export type AlertKind = (typeof alertKinds)[number];
export const alertStates = ['open', 'acknowledged', 'resolved'] as const;
export type AlertState = (typeof alertStates)[number];

const AlertKind = Type.Enum([...alertKinds]);
const AlertState = Type.Enum([...alertStates], {
  description:
    'open: it counts; acknowledged: somebody has seen it, so it counts no longer, until it gets worse; resolved: a later campaign is fine.',
});

/** The first campaign that was worse. */
export const Since = Type.Object({
  at: Time('ISO 8601: creation of the campaign.'),
  campaignId: orNull(Type.String(), 'Null: it was deleted.'),
  commit: orNull(Type.String(), 'Its commit annotation; null: none, or the campaign before has the same.'),
  browserChange: orNull(
    Type.String(),
    'How its browser differs from that of the campaign before: Chrome 157 instead of 156. Null: it does not.',
  ),
});
export type Since = Static<typeof Since>;

const id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 20, description }));

export const AlertQuery = Type.Object(
  {
    ...pageQuery,
    state: Type.Optional(AlertState),
    kind: Type.Optional(AlertKind),
    siteId: id('Only alerts about this site.'),
    scheduleId: id('Only alerts of this schedule’s campaigns.'),
    campaignId: id('Only alerts that this campaign showed.'),
    gateId: id('Only alerts of this gate.'),
  },
  { additionalProperties: false },
);
export type AlertQuery = Static<typeof AlertQuery>;

export const Alert = Type.Object({
  id: Type.String(),
  kind: AlertKind,
  state: AlertState,
  createdAt: Time('ISO 8601: when it was first seen.'),
  lastSeenAt: Time('ISO 8601: when a campaign last showed it.'),
  campaignId: Type.String({ description: 'The newest campaign that shows it.' }),
  firstCampaignId: Type.String({ description: 'The first one.' }),
  scheduleId: orNull(Type.String(), 'Schedule of these campaigns; null: none.'),
  gateId: orNull(Type.String(), 'Null: no stored gate.'),
  siteId: orNull(Type.String(), 'Null: it is about several sites, as failed gates may be.'),
  siteName: orNull(Type.String(), 'Name in the newest of these campaigns.'),
  title: Type.String({ description: 'What is wrong, in a line.' }),
  words: Type.String({ description: 'With its numbers, in a sentence or several.' }),
  since: orNull(Since, 'For a regression: where the run of worse campaigns begins. Else null.'),
  acknowledgedAt: TimeOrNull('ISO 8601; null: nobody has.'),
  acknowledgedBy: orNull(Type.String(), 'Name of the token; null: nobody, or a command on this machine.'),
  resolvedAt: TimeOrNull('ISO 8601; null: it is not.'),
});
export type Alert = Static<typeof Alert>;

export const AlertPage = Type.Object({
  ...Page(Alert).properties,
  open: count('All open alerts, whatever the filter.'),
});
export type AlertPage = Static<typeof AlertPage>;
