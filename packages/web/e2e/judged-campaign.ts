// A campaign with every verdict once, for the tests of what the dashboard says of them.
import assert from 'node:assert/strict';
import type { CampaignResults, CellResults, Comparison } from '@pronghorn/core/schemas';
import type { Page } from 'puppeteer-core';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';
import { commonStage, type Stage } from './stage.ts';

/** What each condition does to HTTP/3's onLoad, so that every outcome comes once; medium loses visits to the measurement besides. */
const factorOf: Record<string, (random: () => number) => number> = {
  native: () => 1,
  'latency-50': () => 1.3,
  poor: () => 0.8,
  'loss-2': (random) => 0.7 + 0.7 * random(),
  medium: () => 0.8,
};
export const conditions = Object.keys(factorOf);
const rounds = 10;

export const byCondition: Outcomes = (protocol, roundNumber, random, condition) => {
  if (condition === 'medium' && protocol === 'h3' && roundNumber % 3 === 0)
    return [invalid('engine-error', 'made'), invalid('engine-error', 'made')];
  const metrics = madeMetrics(protocol, random);
  const onLoad = 400 * (1 + 0.02 * random()) * (protocol === 'h3' ? (factorOf[condition]?.(random) ?? 1) : 1);
  const largestContentfulPaint =
    condition === 'native' && protocol === 'h3' ? 0 : condition === 'poor' ? null : metrics.largestContentfulPaint;
  return [{ verdict: 'valid', metrics: { ...metrics, onLoad, largestContentfulPaint } }];
};

type JudgedStage = Stage & { /** Where its page is. */ hash: string /** What the API says of it. */; results: CampaignResults };
let judged: Promise<JudgedStage> | undefined;
/** The stage of a process's files with the campaign on it. */
export const judgedStage = (): Promise<JudgedStage> => (judged ??= makeJudged());

async function makeJudged(): Promise<JudgedStage> {
  const stage = await commonStage();
  const { service } = stage;
  const sites = [{ url: 'https://shop.example/', name: 'shop' }];
  const campaign = await service.makeCampaign({ name: 'judged', sites, conditions, protocols: ['h1', 'h2', 'h3'], rounds, seed: 5 });
  await service.perform(campaign, rounds * conditions.length, byCondition);
  return { ...stage, hash: `#/campaigns/${campaign.id}/statistics`, results: await service.get(`campaigns/${campaign.id}/results`) };
}

export const questionOf = ({ comparisons }: CellResults): Comparison => {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  assert.ok(question);
  return question;
};

/** All groups, with their pictures. */
export const drawn = (page: Page) => page.waitForSelector('.cell-part:last-of-type .interval');
