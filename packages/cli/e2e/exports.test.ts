// The files of a campaign say what the campaign says.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '@pronghorn/api';
import type { Har } from '@pronghorn/core/campaign';
import type { Campaign } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { alpnOf, metricNames, metricOf } from '@pronghorn/core/vocabulary';
import { parse } from 'csv-parse/sync';
import { behindLink, type Exported, quick, quickLimits, run, temporaryData } from './command.ts';
import { plainPages } from './pages.ts';

test(
  'demo without a terminal ends with 0, proves every protocol, and writes all its visits as JSON, CSV and HAR',
  proves('demo', 'protocols', 'results', 'metrics'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const file = (name: string) => join(data, name);
    const exports = ['--json', file('all.json'), '--csv', file('all.csv'), '--har', file('har/of/all')];
    const { code, stdout, stderr } = await run(
      ['demo', '--conditions', 'native', '--protocols', 'h1,h2,h3', '--rounds', '1', ...quick, '--data', data, ...exports],
      behindLink,
    );
    assert.equal(code, 0, stderr);
    const words = stdout.replaceAll(/\s+/g, ' ');
    assert.match(words, /Proof: in 3 of 3 valid visits \(100 %\) the document and every object came over the requested protocol/);
    const [, logged, objects] = /the server’s log agrees on (\d+) of (\d+) objects \(100 %\)/.exec(words) ?? [];
    assert.ok(Number(objects) > 3 * 10 && logged === objects, words);
    assert.match(words, / 3 loads count, over HTTP\/1\.1, HTTP\/2 and HTTP\/3\. /);

    const { campaign, results, visits }: Exported = JSON.parse(await readFile(file('all.json'), 'utf8'));
    const { visitsValid, visitsInvalid } = campaign.progress;
    assert.equal(campaign.state, 'done');
    assert.equal(visits.length, visitsValid + visitsInvalid);
    assert.equal(visits.filter(({ counted }) => counted).length, 3);
    assert.deepEqual(
      results.cells.flatMap(({ slots }) => slots.map(({ protocol, valid }) => `${protocol} ${valid}`)),
      ['h1 1', 'h2 1', 'h3 1'],
    );

    const rows: Record<string, string>[] = parse(await readFile(file('all.csv'), 'utf8'), { columns: true });
    assert.deepEqual(rows.map(({ visit }) => visit).sort(), visits.map(({ id }) => id).sort());
    for (const { id, outcome } of visits) {
      const row = rows.find(({ visit }) => visit === id);
      if (outcome.verdict === 'valid') {
        for (const metric of metricNames) assert.equal(row?.[metric], String(metricOf(outcome.metrics, metric) ?? ''));
      } else {
        assert.equal(row?.onLoad, '', 'an invalid visit has no number');
        assert.equal(row?.reason, outcome.reason);
      }
    }

    const files = await readdir(file('har/of/all'));
    assert.equal(files.length, visits.length);
    for (const name of files) {
      const { log }: Har = JSON.parse(await readFile(join(file('har/of/all'), name), 'utf8'));
      const [page] = log.pages;
      assert.equal(log.pages.length, 1);
      const visit = visits.find(({ id }) => id === page.id);
      assert.ok(visit !== undefined, `${name} is of a visit`);
      if (visit.outcome.verdict === 'invalid') continue;
      assert.ok(log.entries.length > 10);
      for (const { request, response } of log.entries) {
        assert.equal(request.httpVersion, alpnOf[visit.protocol], `${request.url} in a visit over ${visit.protocol}`);
        assert.equal(response.status, 200);
        const { headersSize, bodySize, _transferSize } = response;
        assert.ok(bodySize >= 0, `the body’s size of ${request.url}`);
        if (visit.protocol !== 'h2') assert.equal(headersSize + bodySize, _transferSize, request.url);
        assert.ok(response.headers.some(({ name }) => name === 'content-type') && request.headers.length === 0);
      }
      assert.equal(
        log.entries.reduce((sum, { response }) => sum + response._transferSize, 0),
        visit.outcome.metrics.transferBytes,
      );
    }
  },
);

test('names and URLs with commas, quotes and other letters survive the CSV', proves('results', 'campaigns'), async (t) => {
  const pages = await plainPages();
  t.after(pages.close);
  const data = await temporaryData((remove) => t.after(remove));
  const name = 'The "best", second line: of all; ünïcode';
  const url = `${pages.url}/a,b;c'd?q="x",y`;
  const api = await startApi({ database: join(data, 'pronghorn.db'), evidenceDirectory: join(data, 'evidence') });
  const request = { sites: [{ name, url }], protocols: ['h1'], rounds: 1, limits: quickLimits };
  const made = await fetch(`${api.url}/api/v1/campaigns`, {
    method: 'POST',
    body: JSON.stringify(request),
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(made.status, 201);
  const campaign = (await made.json()) as Campaign;
  await api.close();

  const csv = join(data, 'visits.csv');
  const { code, stderr } = await run(['resume', campaign.id, '--data', data, '--csv', csv]);
  assert.equal(code, 0, stderr);
  const rows: Record<string, string>[] = parse(await readFile(csv, 'utf8'), { columns: true });
  const counted = rows.filter((row) => row.counted === '1');
  assert.equal(counted.length, 1);
  assert.equal(counted[0]?.site, name);
  assert.equal(counted[0]?.url, campaign.sites[0]?.url);
  assert.ok(Number(counted[0]?.onLoad) > 0);
});
