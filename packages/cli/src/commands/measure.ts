// Makes a campaign, performs it here, and shows the answer; `resume` goes on with one that was stopped.
import { styleText } from 'node:util';
import { type Campaign, type CampaignRequest, invalidReasons, type SiteDiscovery } from '@pronghorn/core';
import type { Lab } from '@pronghorn/runner';
import { type DataFolder, UsageError } from '../data.ts';
import { type Exports, writeExports } from '../exports.ts';
import { House } from '../house.ts';
import { labOf, originOf } from '../origin.ts';
import { report } from '../report.ts';
import { duration, ProgressLine } from '../terminal.ts';

export interface MeasureOptions {
  data: DataFolder;
  exports: Exports;
  keepEvidence: boolean;
  lab?: Lab;
  /** Called with the open house when all is measured, before it closes. */
  afterwards?(house: House, campaign: Campaign, signal: AbortSignal): Promise<void>;
}

/** @returns the exit code: 0, 1 when nothing valid was measured, 130 when it was interrupted */
export async function measure(request: CampaignRequest, options: MeasureOptions): Promise<number> {
  const house = await House.open(options.data);
  try {
    const campaign = await house.createCampaign(request);
    return await perform(house, campaign, options);
  } finally {
    await house.close();
  }
}

/** Goes on with a campaign; without an id, with the latest that isn't done. */
export async function resume(id: string | undefined, options: MeasureOptions): Promise<number> {
  const house = await House.open(options.data);
  try {
    const found = id ?? (await house.campaigns()).find(({ state }) => state !== 'done')?.id;
    if (found === undefined) throw new UsageError('Every campaign is done: there is nothing to resume.');
    const campaign = await house.resume(found);
    const origin = await originOf(campaign, options.data);
    try {
      return await perform(house, campaign, { ...options, ...(origin === undefined ? {} : { lab: labOf(origin) }) });
    } finally {
      await origin?.stop();
    }
  } finally {
    await house.close();
  }
}

/** Shows and exports what a campaign has measured so far. */
export async function showResults(id: string | undefined, options: { data: DataFolder; exports: Exports }): Promise<number> {
  const house = await House.open(options.data);
  try {
    const found = id ?? (await house.campaigns())[0]?.id;
    if (found === undefined) throw new UsageError('Nothing was measured yet. Begin with: ./pronghorn measure URL');
    await show(house, await house.campaign(found), options.exports);
    return 0;
  } finally {
    await house.close();
  }
}

async function perform(house: House, campaign: Campaign, options: MeasureOptions): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    const started = performance.now();
    await measureWithProgress(house, campaign, options, interrupt.signal);
    const now = await house.campaign(campaign.id);
    await show(house, now, options.exports);
    if (interrupt.signal.aborted) {
      const { roundsDone, rounds } = now.progress;
      console.error(`\nStopped: ${roundsDone} of ${rounds} rounds are measured and kept. Go on with: ./pronghorn resume ${campaign.id}`);
      return 130;
    }
    console.error(
      styleText(
        'dim',
        `\n${now.progress.visitsValid} valid visits in ${duration((performance.now() - started) / 1_000)}. Campaign ${campaign.id}`,
      ),
    );
    await options.afterwards?.(house, now, interrupt.signal);
    return now.progress.visitsValid > 0 ? 0 : 1;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

async function measureWithProgress(house: House, campaign: Campaign, options: MeasureOptions, signal: AbortSignal): Promise<void> {
  const { spec, progress } = campaign;
  const visits = (rounds: number) => rounds * spec.protocols.length;
  const line = new ProgressLine('visits', visits(progress.rounds), visits(progress.roundsDone));
  let done = visits(progress.roundsDone);
  let invalid = 0;
  line.update(done, 'starting Chrome');
  await house.measure(campaign.id, {
    ...(options.lab === undefined ? {} : { lab: options.lab }),
    keepEvidence: options.keepEvidence,
    signal,
    events: {
      discovered: (discovery, lease) => {
        const site = lease.sites.find(({ id }) => id === discovery.siteId);
        for (const text of discoveryLines(site?.name ?? discovery.siteId, site?.url ?? '', discovery)) line.say(text);
      },
      visited: (visit, lease) => {
        if (visit.retry === 0) done += 1;
        if (visit.outcome.verdict === 'invalid') invalid += 1;
        const bad = invalid === 0 ? '' : `, ${invalid} invalid`;
        line.update(Math.min(done, visits(progress.rounds)), `${lease.site.name} ${visit.protocol}${bad}`);
      },
      warned: (message) => line.say(message),
    },
  });
  line.end();
}

function discoveryLines(name: string, url: string, { failure, finalUrl, redirects }: SiteDiscovery): string[] {
  if (failure !== null) {
    const means = invalidReasons[failure.reason as keyof typeof invalidReasons] ?? failure.reason;
    return [styleText('yellow', `${name}: ${means}. ${failure.detail}`)];
  }
  if (redirects.length > 0 && finalUrl !== null && new URL(finalUrl).host !== new URL(url).host) {
    return [
      styleText(
        'yellow',
        `${name}: redirects to ${finalUrl}. Every visit includes that redirect; give the final URL to measure without it.`,
      ),
    ];
  }
  return [];
}

async function show(house: House, campaign: Campaign, exports: Exports): Promise<void> {
  const [results, discoveries] = await Promise.all([house.results(campaign.id), house.discoveries(campaign.id)]);
  console.log(report(campaign, results, discoveries));
  await writeExports(house, campaign, results, discoveries, exports);
}
