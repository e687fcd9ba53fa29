// Two campaigns held against one another, as a job: read at one moment, kept place by place.
import { type ComparedCampaign, type ComparisonStream, streamComparison } from '@pronghorn/core/campaign';
import type { ComparedPlace } from '@pronghorn/core/schemas';
import type { ComparedPair } from './compared-store.ts';
import type { ResultsStore } from './results-store.ts';
import { type CampaignVersion, versionOfBoth } from './results-version.ts';

/** Places in one transaction: a few milliseconds. */
const placesAtOnce = 40;

/** @param read both campaigns with their versions as of one moment; null where one is no more. */
export function keepComparison(
  store: ResultsStore,
  pair: ComparedPair,
  asOf: number,
  read: (work: (campaign: Read, baseline: Read) => ComparisonStream | null) => ComparisonStream | null,
): void {
  const startMs = performance.now();
  let version = '';
  const found = read((campaign, baseline) => {
    version = versionOfBoth(campaign.version, baseline.version);
    return store.compared.newest(pair)?.version === version
      ? null
      : streamComparison(campaign.measured(), baseline.measured(), pair.metric);
  });
  if (found === null) return;
  const { places, ...head } = found;
  const key = store.compared.begin(pair, version, asOf);
  let [batch, place]: [ComparedPlace[], number] = [[], 1];
  const add = () => {
    store.compared.add(key, batch, place);
    [batch, place] = [[], place + batch.length];
  };
  try {
    for (const one of places) if (batch.push(one) === placesAtOnce) add();
    add();
    store.compared.finish(key, head, place - 1, Math.ceil(performance.now() - startMs));
  } catch (error) {
    removeUnfinished(store, key);
    throw error;
  }
  store.compared.sweep(asOf);
}

/** What can't be removed now, such as on a full disk, is swept later: why it is unfinished is what matters. */
function removeUnfinished(store: ResultsStore, key: number): void {
  try {
    store.compared.remove(key);
  } catch {}
}

/** One of the two: its visits are read only if they are needed. */
export type Read = { version: CampaignVersion; measured(): ComparedCampaign };
