// How far the measurement is from the truth: pages whose onLoad and SpeedIndex are known by construction.
import { styleText } from 'node:util';
import { type CampaignRequest, quantile } from '@pronghorn/core';
import { startOrigin } from '@pronghorn/origin';
import { House } from '../house.ts';
import { labOf } from '../origin.ts';
import { type Cell, duration, ProgressLine, table } from '../terminal.ts';
import type { MeasureOptions } from './measure.ts';

/** The error that a measurement may have: 10 ms and 1 % of the constructed value. */
const allowed = (truth: number) => 10 + 0.01 * truth;

/** @returns 0 when the median error of every page, protocol and metric is within what is allowed, else 1 */
export async function groundTruth(
  requestOf: (sites: CampaignRequest['sites']) => CampaignRequest,
  options: MeasureOptions,
): Promise<number> {
  const origin = await startOrigin({ directory: options.data.origin });
  const house = await House.open(options.data);
  try {
    const pages = origin.sites.filter(({ truth }) => truth !== undefined);
    const campaign = await house.createCampaign({ name: 'Ground truth', ...requestOf(pages.map(({ url, name }) => ({ url, name }))) });
    const { protocols, rounds } = campaign.spec;
    const line = new ProgressLine('visits', campaign.progress.rounds * protocols.length, 0);
    const started = performance.now();
    let done = 0;
    const interrupt = new AbortController();
    process.once('SIGINT', () => interrupt.abort());
    await house.measure(campaign.id, {
      lab: labOf(origin),
      keepEvidence: options.keepEvidence,
      signal: interrupt.signal,
      events: {
        visited: (visit, lease) => {
          if (visit.retry === 0) done += 1;
          line.update(done, `${lease.site.name} ${visit.protocol}`);
        },
      },
    });
    line.end();

    const siteNamed = new Map(campaign.sites.map(({ id, name }) => [name, id]));
    const visits = (await Array.fromAsync(house.visits(campaign.id))).filter(({ counted }) => counted);
    const rows: Cell[][] = [];
    let missed = 0;
    for (const { name, truth } of pages) {
      if (truth === undefined) continue;
      for (const [metric, title, constructed] of [
        ['onLoad', 'onLoad', truth.onLoadMs],
        ['speedIndex', 'SpeedIndex', truth.speedIndexMs],
      ] as const) {
        for (const protocol of new Set(protocols)) {
          const errors = visits.flatMap(({ siteId, protocol: its, outcome }) => {
            const measured =
              its === protocol && siteId === siteNamed.get(name) && outcome.verdict === 'valid' ? outcome.metrics[metric] : null;
            return measured === null ? [] : [measured - constructed];
          });
          const median = errors.length === 0 ? Number.NaN : quantile(errors, 0.5);
          const good = Math.abs(median) <= allowed(constructed);
          if (!good) missed += 1;
          const signed = (ms: number) => `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(1)}`;
          const spread = errors.length === 0 ? ['–', '–'] : [signed(Math.min(...errors)), signed(Math.max(...errors))];
          const verdict: Cell = good ? { text: 'within', style: 'green' } : { text: 'MISSED', style: 'red' };
          rows.push([
            name,
            title,
            protocol,
            String(errors.length),
            String(constructed),
            signed(median),
            ...spread,
            `±${allowed(constructed).toFixed(1)}`,
            verdict,
          ]);
        }
      }
    }
    console.log(table(['page', 'metric', '', 'n', 'constructed', 'median error', 'min', 'max', 'goal', ''], rows, [0, 1, 2]));
    const dim = (text: string) => styleText('dim', text);
    console.log(
      dim(
        `Milliseconds, ${rounds} rounds, ${duration((performance.now() - started) / 1_000)}. Connection set-up is part of the measured value and not of the constructed one.`,
      ),
    );
    return missed === 0 && visits.length > 0 ? 0 : 1;
  } finally {
    await house.close();
    await origin.stop();
  }
}
