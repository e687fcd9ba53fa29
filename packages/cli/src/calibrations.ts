// What an A/A campaign says of itself: slots of one protocol against each other, round by round.
import { type AaRound, calibration, judgeCalibration, type PlacedVisit, placeEffect } from '@pronghorn/core/campaign';
import type { Calibration, Campaign, CampaignSpec, MetricName, PlaceEffect, Visit } from '@pronghorn/core/schemas';
import { mainMetrics } from '@pronghorn/core/verdict';
import { cellKey, metricOf, type Protocol, type View } from '@pronghorn/core/vocabulary';

/** Of a page onLoad and SpeedIndex, of REST calls response time and its p99. */
const calibratedMetrics = (spec: Pick<CampaignSpec, 'engine'>): readonly MetricName[] => mainMetrics(spec).slice(0, 2);

/** Of one metric of two slots that should be alike. */
export interface SlotCalibration {
  siteId: string;
  condition: string;
  view: View;
  protocol: Protocol;
  slots: [number, number];
  metric: MetricName;
  /** In which both visits have a number. */
  rounds: number;
  /** Null where the rounds are too few: see `minCalibrationRounds`. */
  calibration: Calibration | null;
  /** Of all visits of the rounds of this site, condition and view, on this metric; the same for each protocol. */
  places: PlaceEffect | null;
}

/** Whether a campaign does nothing but compare protocols with themselves. */
export function isCalibration({ protocols }: Pick<CampaignSpec, 'protocols'>): boolean {
  return [...Map.groupBy(protocols, (protocol) => protocol).values()].every((slots) => slots.length > 1);
}

/**
 * For each site, condition and view, each pair of slots of one protocol and each metric: its calibration. Campaigns without such a pair
 * have none.
 *
 * @param visits of the campaign; those that don't count are passed over.
 */
export function calibrations({ spec, sites }: Pick<Campaign, 'spec' | 'sites'>, visits: Iterable<Visit>): SlotCalibration[] {
  const pairs = pairsOfSlots(spec.protocols);
  if (pairs.length === 0) return [];
  const metrics = calibratedMetrics(spec);
  const counted = Map.groupBy(
    [...visits].filter((visit) => visit.counted),
    keyOf,
  );
  return sites.flatMap(({ id: siteId }) =>
    spec.conditions.flatMap(({ name: condition }) =>
      spec.views.flatMap((view) => {
        const group = spec.protocols.flatMap((_, slot) => counted.get(keyOf({ siteId, condition, view, slot })) ?? []);
        const placesOf = metrics.map((metric) => placeEffect(inOrder(group, metric)));
        const found = pairs.flatMap(({ protocol, slots }) => {
          const [first, second] = slots.map((slot) => counted.get(keyOf({ siteId, condition, view, slot })) ?? []) as [Visit[], Visit[]];
          return metrics.map((metric) => {
            const rounds = roundsOf(first, second, metric);
            return { protocol, slots, metric, rounds: rounds.length, calibration: calibration(rounds, { seed: spec.seed }) };
          });
        });
        const judged = judgeCalibration(
          found.flatMap((one) => one.calibration ?? []),
          placesOf.flatMap((places) => places ?? []),
        );
        const [calibrated, placed] = [judged.calibrations.values(), judged.places.values()];
        const places = placesOf.map((one) => one && (placed.next().value ?? null));
        return found.map((one): SlotCalibration => {
          const ofMetric = places[metrics.indexOf(one.metric)] ?? null;
          return { siteId, condition, view, ...one, calibration: one.calibration && (calibrated.next().value ?? null), places: ofMetric };
        });
      }),
    ),
  );
}

const keyOf = (visit: Pick<Visit, 'siteId' | 'condition' | 'view' | 'slot'>) => `${cellKey(visit)} ${visit.slot}`;

function pairsOfSlots(protocols: readonly Protocol[]): Pick<SlotCalibration, 'protocol' | 'slots'>[] {
  return protocols.flatMap((protocol, first) =>
    protocols.flatMap((other, second) =>
      second > first && other === protocol ? [{ protocol, slots: [first, second] as [number, number] }] : [],
    ),
  );
}

/** Rounds with their visits in the order in which they took place; those without a number above 0 are left out. */
function inOrder(visits: readonly Visit[], metric: SlotCalibration['metric']): PlacedVisit[][] {
  const byRound = Map.groupBy(visits, ({ roundNumber }) => roundNumber);
  return [...byRound.values()].map((round) =>
    round
      .toSorted((a, b) => a.position - b.position)
      .map((visit) => ({ protocol: visit.protocol, value: numberOf(visit, metric) }))
      .filter(({ value }) => value > 0 && Number.isFinite(value)),
  );
}

/** Of a visit that counts: 0 where there is none, ∞ where its load failed. */
const numberOf = ({ outcome }: Visit, metric: SlotCalibration['metric']) =>
  outcome.verdict === 'valid' ? (metricOf(outcome.metrics, metric) ?? 0) : Number.POSITIVE_INFINITY;

/** In the order of time, which a round that was tried again has left. A value of 0 has no ratio: its round is left out. */
function roundsOf(first: readonly Visit[], second: readonly Visit[], metric: SlotCalibration['metric']): AaRound[] {
  const seconds = new Map(second.map((visit) => [visit.roundNumber, numberOf(visit, metric)]));
  return first
    .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
    .map((visit) => ({ first: numberOf(visit, metric), second: seconds.get(visit.roundNumber) ?? 0 }))
    .filter((round) => round.first > 0 && round.second > 0);
}
