import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import { UsageError } from '../program/errors.ts';
import { type Design, designNotes, readDesign, sitesOfDesign } from './design.ts';

const origin = 'https://calls.pronghorn.test:4433';

function fileOf(t: TestContext, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-design-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'design.json');
  writeFileSync(file, content);
  return file;
}
const notesOf = (design: Design, rounds: number) =>
  designNotes({
    sites: sitesOfDesign(design, origin),
    conditions: design.factors.condition.map((one) => (typeof one === 'string' ? (conditionNamed(one) ?? assert.fail(one)) : one)),
    protocols: design.protocols ?? ['h2', 'h3'],
    views: [design.view ?? 'warm'],
    rounds,
  });

test('the published study is eight sites with levels, and its three replications are warned of with the number that would do', () => {
  const design = readDesign('rest-study');
  const sites = sitesOfDesign(design, origin);
  assert.equal(sites.length, 8);
  assert.deepEqual(sites[1]?.levels, { method: 'POST', payload: '2 MB', concurrency: '20×25' });
  assert.deepEqual(sites[1]?.workload, { method: 'POST', users: 20, requests: 25, bodyBytes: 2_000_000, requestTimeoutMs: 600_000 });
  assert.equal(new Set(sites.map(({ url }) => url)).size, 8);
  const [time, warning = ''] = notesOf(design, design.replications ?? 0);
  // 3 rounds, 2 protocols, 2 methods, 12 MB, 600 requests and 25 that warm: 90 GB at 20 and at 10 Mbit/s.
  assert.match(time ?? '', /the bytes of this study alone take 30 h 0 min\. You can stop and resume it/);
  assert.match(
    warning,
    /^3 replications can’t show .* 24 scenarios\. At least 7 replications are needed\..* Set the number with --rounds, such as --rounds 7\.$/,
  );
  assert.equal(notesOf(design, 7).length, 1);
});

test('the brief study has the same users and bodies, and takes an hour', () => {
  const design = readDesign('rest-study-brief');
  assert.deepEqual(sitesOfDesign(design, origin)[1]?.levels, { method: 'POST', payload: '2 MB', concurrency: '20×1' });
  assert.match(notesOf(design, 3)[0] ?? '', /take 1 h 12 min/);
});

test('the design of the documentation is one, and half of four factors', (t) => {
  const guide = readFileSync(new URL('../../../../docs/transactions.md', import.meta.url), 'utf8');
  const [, example = ''] = /^```json\n([\s\S]*?)^```/m.exec(guide) ?? [];
  const design = readDesign(fileOf(t, example));
  const sites = sitesOfDesign(design, origin);
  assert.equal(sites.length, 8);
  assert.deepEqual(
    sites.filter(({ levels: { method, payload } }) => method === 'GET' && payload === '10 kB').map(({ workload }) => workload?.connections),
    ['user', 'shared'],
  );
  const [aliases = '', ...others] = notesOf(design, design.replications ?? 0);
  assert.match(
    aliases,
    /^16 of 32 combinations of levels, of resolution IV\. The design confounds method × payload with concurrency × connections/,
  );
  assert.deepEqual(others, []);
});

test('half of three factors is told to confound each with the pair of the others', () => {
  const design: Design = { ...readDesign('rest-study'), half: ['method', 'payload', 'concurrency'] };
  assert.equal(sitesOfDesign(design, origin).length, 4);
  assert.match(notesOf(design, 10)[1] ?? '', /resolution III\. The design confounds method with payload × concurrency/);
});

test('what is no design is refused by its place and what would do', (t) => {
  const refused = (change: object) => {
    const file = fileOf(t, JSON.stringify({ ...readDesign('rest-study'), ...change }));
    try {
      readDesign(file);
    } catch (error) {
      assert.ok(error instanceof UsageError);
      return error.message;
    }
    return 'taken';
  };
  const { factors } = readDesign('rest-study');
  assert.match(refused({ half: ['method', 'payload'] }), /wrong at \/half/);
  assert.match(
    refused({ factors: { ...factors, payload: ['1MB', '2MB', '3MB'] }, half: ['method', 'payload', 'concurrency'] }),
    /halves the factor payload, which has 3 levels\. .*leave payload out of half, or give it two\.$/,
  );
  assert.match(refused({ half: ['method', 'payload', 'connections'] }), /halves the factor connections, which has 0 levels/);
  assert.match(refused({ factors: { ...factors, payload: ['much'] } }), /has the payload "much"/);
  assert.match(
    refused({ factors: { ...factors, load: ['5x20'] } }),
    /wrong at \/factors\/load: there is no such part; expected method, payload, concurrency, connections, condition\.$/,
  );
  assert.match(
    refused({ rounds: 3 }),
    /wrong at \/rounds: there is no such part; expected name, factors, protocols, view, replications, half\.$/,
  );
  assert.match(refused({ factors: { ...factors, payload: ['2kB', '2000'] } }), /payloads 2kB and 2000, which are the same number of bytes/);
  assert.match(refused({ factors: { ...factors, payload: ['0.4B'] } }), /has the payload "0.4B"/);
  assert.match(refused({ factors: { ...factors, concurrency: ['1001x1'] } }), /has 1001 users; expected at most 1000/);
  const many = Array.from({ length: 30 }, (_, n) => `${n + 1}kB`);
  assert.match(refused({ factors: { ...factors, payload: many } }), /has 360 combinations; expected at most 256/);
  assert.throws(() => readDesign(fileOf(t, '{')), /is not JSON/);
  assert.equal(readDesign(fileOf(t, `\ufeff${JSON.stringify(readDesign('rest-study'))}`)).name, 'REST study');
  for (const name of ['constructor', '__proto__']) assert.throws(() => readDesign(name), /There is no study/);
  assert.throws(() => readDesign('/no/such/file'), /There is no study .*rest-study/);
});
