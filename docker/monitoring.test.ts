// Dashboards and alert rules name what the service really tells, and Prometheus can read them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sampleLinkCheck, sampleVisit } from '../packages/api/src/testing/samples.ts';
import { testApi } from '../packages/api/src/testing/test-api.ts';

type Panel = {
  id: number;
  title: string;
  datasource: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig: { defaults: { unit?: string } };
  targets: { expr: string; refId: string; datasource: { uid: string } }[];
};
type Dashboard = {
  id: null;
  uid: string;
  title: string;
  templating: { list: { name: string; type: string; query: unknown }[] };
  annotations: { list: { expr: string }[] };
  panels: Panel[];
};

const folder = join(import.meta.dirname, 'monitoring');
const rules = join(folder, 'prometheus-rules.yml');
const dashboards = readdirSync(folder)
  .filter((name) => /^grafana-.+\.json$/.test(name))
  .map((name) => ({ name, dashboard: JSON.parse(readFileSync(join(folder, name), 'utf8')) as Dashboard }));

/** As Grafana sends them. */
const asked = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'pronghorn');
const expressionsOf = ({ panels, annotations }: Dashboard) =>
  [...panels.flatMap(({ targets }) => targets), ...annotations.list].map(({ expr }) => asked(expr));

function promtool(t: TestContext, ...args: string[]): string | undefined {
  const own = join(process.env.PRONGHORN_TOOLS ?? join(import.meta.dirname, '../.tools'), 'linters/bin/promtool');
  const { status, stdout, stderr, error } = spawnSync(existsSync(own) ? own : 'promtool', args, { encoding: 'utf8' });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    t.skip(
      `promtool is missing: rules and expressions are NOT CHECKED. "./pronghorn test lint" brings it into ${own}, where apt-get has it.`,
    );
    return undefined;
  }
  assert.equal(status, 0, `promtool ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

/** Selectors of metrics, with the names of their labels: pronghorn_runners{state="lost"}. */
const selectors = (text: string) =>
  [...text.matchAll(/\b((?:pronghorn|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));

test('each metric and label in dashboards and rules is in what the service tells', async (t) => {
  const api = await testApi(t, { metrics: { process: true }, evidence: { budgetBytes: 1e9 } });
  await api.campaign({ protocols: ['h2'], rounds: 1 });
  const lease = await api.lease();
  const check = sampleLinkCheck(lease);
  await api.put(`/leases/${lease.id}/link-checks/${check.id}`, check);
  await api.upload(lease, sampleVisit(lease, 0));
  await api.complete(lease);
  const text = (await api.app.inject('/metrics')).body;
  const told = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = told.get(name) ?? new Set(['job', 'instance']); // by Prometheus itself
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
    told.set(name, known);
  }
  const used = [
    ...selectors(readFileSync(rules, 'utf8')),
    ...dashboards.flatMap(({ dashboard }) => expressionsOf(dashboard).flatMap((expr) => selectors(expr))),
  ];
  assert.ok(used.length > 60, `${used.length} selectors were found`);
  for (const { name, labels } of used) {
    assert.ok(told.has(name), `${name} is no metric of the service`);
    for (const label of labels) assert.ok(told.get(name)?.has(label), `${name} has no label ${label}`);
  }
});

test('alert rules are right for Prometheus, and each comes when it should', (t) => {
  if (promtool(t, 'check', 'rules', rules) === undefined) return;
  promtool(t, 'test', 'rules', join(folder, 'prometheus-rules.test.yml'));
  const tested = readFileSync(join(folder, 'prometheus-rules.test.yml'), 'utf8');
  for (const [, alert = ''] of readFileSync(rules, 'utf8').matchAll(/- alert: (\w+)/g)) {
    assert.ok(tested.includes(`alertname: ${alert}, exp_alerts: []`), `${alert} is not tested on a calm service`);
    assert.ok(tested.includes(`alertname="${alert}",alertstate="firing"`), `no test makes ${alert} come`);
  }
});

test('each expression of the dashboards is PromQL', (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'pronghorn-promql-')), 'expressions.yml');
  t.after(() => rmSync(join(file, '..'), { recursive: true }));
  const all = dashboards.flatMap(({ dashboard }) => expressionsOf(dashboard));
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'all', rules: all.map((expr, i) => ({ record: `expression_${i}`, expr })) }] }));
  const said = promtool(t, 'check', 'rules', file);
  if (said !== undefined) assert.match(said, new RegExp(`${all.length} rules found`));
});

for (const { name, dashboard } of dashboards) {
  test(`${name} can be imported anywhere: data source by choice, units, no ids of one Grafana, nothing upon another`, () => {
    const { id, uid, panels, templating } = dashboard;
    assert.equal(id, null);
    assert.match(uid, /^pronghorn-[a-z]+$/);
    assert.deepEqual(
      templating.list.map((variable) => [variable.name, variable.type]),
      [
        ['datasource', 'datasource'],
        ['job', 'query'],
      ],
    );
    assert.equal(new Set(panels.map((panel) => panel.id)).size, panels.length);
    const cells = new Set<string>();
    for (const { title, datasource, fieldConfig, gridPos, targets } of panels) {
      assert.ok(fieldConfig.defaults.unit, `${title} has no unit`);
      assert.ok(targets.length > 0 && new Set(targets.map(({ refId }) => refId)).size === targets.length, title);
      for (const place of [datasource, ...targets.map((target) => target.datasource)]) assert.equal(place.uid, `\${datasource}`, title);
      for (const { expr } of targets) assert.ok(expr.includes('job=~"$job"'), `${title} looks at every job`);
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(!cells.has(`${x},${y}`), `${title} lies upon another`);
          cells.add(`${x},${y}`);
        }
      }
    }
  });
}

test('the two dashboards have names of their own', () => {
  assert.equal(new Set(dashboards.map(({ dashboard }) => dashboard.uid)).size, 2);
});
