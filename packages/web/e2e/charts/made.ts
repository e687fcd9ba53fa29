// Numbers for charts that a campaign of a test is too small for: thousands of visits, months of campaigns.
import type { Protocol } from '@pronghorn/core/vocabulary';
import { distributionOf } from '../../../core/src/campaign/distribution.ts';
// Not by the package's index: all of core would come along, with a module of WebAssembly that the page's policy refuses.
import { randomSource } from '../../../core/src/math/random.ts';
import type { DeltaRow } from '../../src/charts/delta/rows.ts';
import type { SpreadGroup } from '../../src/charts/spread/rows.ts';
import type { TrendPlotSeries } from '../../src/charts/trend/series.ts';

const typicalMs: Readonly<Record<Protocol, number>> = { h1: 900, h2: 700, h3: 610 };
const protocols = ['h1', 'h2', 'h3'] as const;

/** So many visits over 14 conditions and three protocols, each condition slower than the one before, some with two modes. */
export function madeGroups(visits: number): SpreadGroup[] {
  const random = randomSource(7);
  const each = Math.ceil(visits / (14 * protocols.length));
  return Array.from({ length: 14 }, (_, condition) => ({
    label: `condition-${condition + 1}`,
    slots: protocols.map((protocol) => {
      const values = Array.from({ length: each }, (_, i) => {
        const spread = (random() + random() + random() - 1.5) * 0.3 + (condition % 4 === 3 && random() < 0.4 ? 0.9 : 0);
        const value = typicalMs[protocol] * (1 + condition * 0.35) * Math.exp(spread);
        return { value, visitId: `${condition}-${protocol}-${i}`, round: i + 1 };
      });
      return { protocol, values, distribution: distributionOf(values.map(({ value }) => value)) };
    }),
  }));
}

/** A campaign each night for two months, with a gap, commits and one regression. */
export function madeSeries(): TrendPlotSeries[] {
  const random = randomSource(11);
  return (['h2', 'h3'] as const).map((protocol) => ({
    name: protocol === 'h2' ? 'HTTP/2' : 'HTTP/3',
    protocol,
    points: Array.from({ length: 60 }, (_, night) => night)
      .filter((night) => night < 22 || night > 29)
      .map((night) => {
        const worse = protocol === 'h3' && night >= 45 ? 1.18 : 1;
        const value = typicalMs[protocol] * worse * (1 + (random() - 0.5) * 0.08);
        return {
          ...{ at: new Date(Date.UTC(2026, 7, 1 + night, 2, 30)).toISOString(), value },
          ...{
            interval: { low: value * 0.96, high: value * 1.05 },
            campaignId: String(night + 1),
            commit: `${(Math.floor(night / 6) * 7919 + 4096).toString(16)}a3c`,
          },
          regression: protocol === 'h3' && night === 46 ? 'HTTP/3 got 18 % slower than in the 44 campaigns before.' : null,
        };
      }),
  }));
}

/** Every kind of row: each verdict, none, no interval, no value, far beyond the others; as many as a campaign of fifty sites has. */
export function madeDeltas(): DeltaRow[] {
  const random = randomSource(5);
  const outcomes = ['h3-faster', 'h2-faster', 'equivalent', 'inconclusive'] as const;
  const kinds: DeltaRow[] = [
    { label: 'native', group: 'Shop', value: -0.16, low: -0.21, high: -0.11, outcome: 'h3-faster', class: 'below', href: '#/native' },
    { label: 'loss-1', group: 'Shop', value: 0.14, low: 0.06, high: 0.2, outcome: 'h2-faster', class: 'above', href: '#/loss-1' },
    { label: '4g', group: 'Shop', value: 0.01, low: -0.02, high: 0.03, outcome: 'equivalent', class: 'within', href: '#/4g' },
    {
      label: 'latency-100',
      group: 'Shop',
      value: -0.03,
      low: -0.4,
      high: 0.22,
      outcome: 'inconclusive',
      class: 'within',
      href: '#/latency',
    },
    { label: 'three rounds only', group: 'Shop', value: -0.08, low: null, high: null, outcome: 'inconclusive', class: 'within' },
    { label: 'no visit over HTTP/3', group: 'Shop', value: null, low: null, high: null },
    { label: 'far away', group: 'Shop', value: 0.93, low: 0.8, high: 0.97, outcome: 'h2-faster', class: 'above' },
  ];
  const many = Array.from({ length: 50 }, (_, site) => {
    const value = (random() - 0.5) * 0.2;
    const group = `https://www.site-${site + 1}.example/with/a/path/that/is/long/enough/to/be/cut?and=a-query`;
    return {
      label: 'condition-with-a-long-name.rtt-50',
      group,
      value,
      low: value - 0.03,
      high: value + 0.04,
      outcome: outcomes[site % 4] ?? null,
    };
  });
  return [...kinds, ...many];
}
