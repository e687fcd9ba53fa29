// The dashboard of results asks the API as Grafana's Infinity data source does: each query is asked of a real service, and gets rows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { exhibitStage } from './stage.ts';

type Query = {
  url: string;
  root_selector: string;
  format: string;
  parser: string;
  columns: { selector: string; text: string; type: string }[];
};
type Variable = { name: string; type: string; query: { infinityQuery: Query } | string };
type Panel = { id: number; title: string; gridPos: { x: number; y: number; w: number; h: number }; targets: Query[] };

const dashboard = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docker/monitoring/infinity-results.json'), 'utf8')) as {
  panels: Panel[];
  templating: { list: Variable[] };
};
const { service, exhibit } = await exhibitStage();

/** A path of JSONata: a step into a list is one into each of its items, and lists in lists become one. */
const select = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((from, name) => {
    const into = (one: unknown) => (typeof one === 'object' && one !== null ? (one as Record<string, unknown>)[name] : undefined);
    return Array.isArray(from) ? from.flatMap(into).filter((one) => one !== undefined) : into(from);
  }, value);

/** As Grafana fills variables in. */
function filled(url: string, values: Readonly<Record<string, string>>): string {
  return url.replaceAll(/\$\{(\w+)(?::[\w:]+)?\}/g, (_, name: string) => {
    assert.ok(values[name] !== undefined, `${url} needs ${name}`);
    return encodeURIComponent(values[name]);
  });
}

async function rowsOf({ url, root_selector, columns }: Query, values: Readonly<Record<string, string>>): Promise<unknown[][]> {
  const reply = await fetch(service.url + filled(url, values));
  assert.equal(reply.status, 200, `${url}: ${await reply.clone().text()}`);
  const rows = [select(await reply.json(), root_selector)].flat();
  return rows.map((row) => columns.map(({ selector }) => select(row, selector)));
}

const values = () => ({
  ...{ site: exhibit.nights.siteId, metric: 'onLoad', condition: 'native', campaign: exhibit.shop.id },
  ...{ __from: new Date(Date.now() - 30 * 86_400_000).toISOString(), __to: new Date(Date.now() + 60_000).toISOString() },
});
const typeNames: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  timestamp: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
};

test('each query of a panel gets rows, and each column a value of its type', proves('sharing'), async () => {
  const { site, condition, ...others } = values();
  const series = await rowsOf(variable('condition'), { site, condition, ...others });
  const chosen = { site, condition: String(series[0]?.[0] ?? ''), ...others };
  for (const { title, targets } of dashboard.panels) {
    assert.ok(targets.length > 0, title);
    for (const target of targets) {
      const rows = await rowsOf(target, chosen);
      assert.ok(rows.length > 1, `${title}: ${rows.length} rows of ${target.url}`);
      for (const [at, { text, type }] of target.columns.entries()) {
        const known = rows.map((row) => row[at]).filter((value) => value !== null && value !== undefined);
        assert.ok(
          known.length > 0 && known.every(typeNames[type] as (value: unknown) => boolean),
          `${title}, ${text}: ${JSON.stringify(known.slice(0, 3))}`,
        );
      }
      if (target.format === 'timeseries') assert.equal(target.columns[0]?.type, 'timestamp', title);
      assert.equal(target.parser, 'backend', `${title}: what the browser parses, no alert and no shared dashboard can use`);
    }
  }
});

function variable(name: string): Query {
  const { query } = dashboard.templating.list.find((one) => one.name === name) as Variable;
  assert.ok(typeof query === 'object');
  return query.infinityQuery;
}

test('each variable offers what the queries take', proves('sharing'), async () => {
  const offered = async (name: string) => (await rowsOf(variable(name), values())).map(([value]) => value);
  assert.ok((await offered('site')).includes(exhibit.nights.siteId));
  assert.ok((await offered('condition')).length > 0);
  assert.ok((await offered('campaign')).includes(exhibit.nights.ids.at(-1)));
});

test('the time range selects: none of last year', proves('sharing'), async () => {
  const range = { __from: '2020-01-01T00:00:00Z', __to: '2020-02-01T00:00:00Z' };
  for (const { targets } of dashboard.panels)
    for (const target of targets.filter(({ url }) => url.includes('__from')))
      assert.deepEqual(
        (await rowsOf(target, { ...values(), ...range })).flat().filter((value) => value !== undefined),
        [],
        target.url,
      );
});

test('no panel lies upon another, and all have a query for each series', proves('sharing'), () => {
  const cells = new Set<string>();
  for (const { title, gridPos } of dashboard.panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(x < 24 && !cells.has(`${x},${y}`), `${title} lies upon another`);
        cells.add(`${x},${y}`);
      }
    }
  }
});
