import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type EvidenceKind, evidenceForms, problemType } from '@pronghorn/core/schemas';
import { samples } from '@pronghorn/core/testing';
import { openDatabase } from '../../../storage/database.ts';
import { createLocalStore } from '../../../store/open-store.ts';
import { settingsOf } from '../../../store/settings.ts';
import { gzipped, invalidOutcome, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';
import { createEvidenceStore } from './evidence-store.ts';

const writer = join(import.meta.dirname, '../../../testing/evidence-writer.ts');

/** A campaign of so many visits. @returns their ids. */
async function measured({ app }: TestApi, visits: number, isInvalid: (place: number) => boolean = () => false): Promise<string[]> {
  const campaignId = await app.store.campaigns.submit({ sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: visits });
  const ids: string[] = [];
  for (let place = 0; place < visits; place += 1) {
    const lease = await app.queue.lease({ runner: 'runner', campaignId });
    assert.ok(lease);
    const visit = sampleVisit(lease, 0, { resources: [], ...(isInvalid(place) ? invalidOutcome('load-timeout') : {}) });
    await app.store.queue.upload(lease.id, visit);
    await app.queue.complete(lease.id);
    ids.push(visit.id);
  }
  return ids;
}
const put = (
  { app }: TestApi,
  id: string,
  payload: Buffer,
  { kind = 'evidence', headers = {} }: { kind?: EvidenceKind; headers?: object } = {},
) =>
  app.inject({
    method: 'PUT',
    url: `/api/v1/visits/${id}/evidence/${kind}`,
    payload,
    headers: { 'content-type': 'application/gzip', ...headers },
  });
const get = ({ app }: TestApi, id: string, kind: EvidenceKind = 'evidence') =>
  app.inject({ method: 'GET', url: `/api/v1/visits/${id}/evidence/${kind}` });
const nameOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const pathIn = (folder: string, content: Buffer) => join(folder, 'evidence', nameOf(content).slice(0, 2), nameOf(content));

/** As a service has it, without one. */
function storeIn(database: ReturnType<typeof openDatabase>, directory: string, budgetBytes: number | null = null) {
  const settings = settingsOf({ database: database.name, evidenceDirectory: directory, evidence: { budgetBytes } });
  return createEvidenceStore(createLocalStore(database, settings), settings.evidence);
}

/** All files below a folder of evidence, with their sizes. */
const filesOf = (evidence: string) =>
  readdirSync(evidence, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ name, parentPath }) => {
      const size = statSync(join(parentPath, name), { throwIfNoEntry: false })?.size;
      return size === undefined ? [] : [{ name, size }];
    });
const bytesIn = (evidence: string) => filesOf(evidence).reduce((sum, { size }) => sum + size, 0);

/** That files and index say the same. */
function assertWhole(database: ReturnType<typeof openDatabase>, evidence: string): void {
  const named = (sql: string) =>
    database
      .prepare<[], { name: string }>(sql)
      .all()
      .map(({ name }) => name);
  const files = filesOf(evidence)
    .map(({ name }) => name)
    .sort();
  assert.deepEqual(files, named('SELECT lower(hex(hash)) AS name FROM evidence_files ORDER BY 1'), 'each file is indexed');
  assert.deepEqual(
    files,
    named('SELECT DISTINCT lower(hex(hash)) AS name FROM evidence WHERE gone IS NULL ORDER BY 1'),
    'each file is needed',
  );
  for (const name of files) assert.equal(nameOf(readFileSync(join(evidence, name.slice(0, 2), name))), name);
  assert.deepEqual(named('SELECT name FROM evidence_incoming'), []);
  const sum = database.prepare<[], number>('SELECT coalesce(sum(bytes), 0) FROM evidence_files').pluck();
  const kept = database.prepare<[], number>(`SELECT bytes FROM evidence_usage WHERE what = 'files'`).pluck();
  assert.deepEqual([kept.get(), sum.get()], [bytesIn(evidence), bytesIn(evidence)]);
  const refs = `SELECT count(*) FROM evidence_files WHERE refs <> (SELECT count(*) FROM evidence WHERE evidence.hash = evidence_files.hash AND gone IS NULL)`;
  assert.equal(database.prepare<[], number>(refs).pluck().get(), 0);
}

test('equal content is one file, however often it is sent, also at once; another content is refused, whatever became of the first', async (t) => {
  const api = await testApi(t);
  const [first = '', second = '', third = ''] = await measured(api, 3);
  const same = gzipSync('the same');
  const replies = await Promise.all([first, second, second, second, first, third].map((id) => put(api, id, same)));
  assert.deepEqual(replies.map(({ statusCode }) => statusCode).sort(), [201, 201, 201, 204, 204, 204]);
  const evidence = join(api.folder, 'evidence');
  assert.deepEqual(filesOf(evidence), [{ name: nameOf(same), size: same.length }]);
  const refusal = async () => {
    const { statusCode, body } = await put(api, first, gzipSync('another'));
    assert.deepEqual([statusCode, JSON.parse(body).type], [409, problemType('already-different')]);
    assert.match(JSON.parse(body).detail, new RegExp(`has the SHA-256 ${nameOf(same)}; what arrived has ${nameOf(gzipSync('another'))}`));
  };
  await refusal();
  assert.deepEqual((await get(api, first)).rawPayload, same);
  assert.deepEqual(filesOf(evidence), [{ name: nameOf(same), size: same.length }]);
  rmSync(pathIn(api.folder, same));
  assert.equal((await get(api, first)).statusCode, 410, 'it is lost');
  await refusal();
  assert.equal((await put(api, first, same)).statusCode, 201);
  assert.deepEqual((await get(api, first)).rawPayload, same);
  assertWhole(api.app.database, evidence);
});

test('a visit has evidence of several kinds, each in its form and within its limit', async (t) => {
  const api = await testApi(t);
  const [id = ''] = await measured(api, 1);
  const mp4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom'), Buffer.alloc(100)]);
  const content = { evidence: gzipSync('e'), netlog: gzipSync('n'), qlog: gzipSync('q'), video: mp4 };
  for (const [kind, payload] of Object.entries(content) as [EvidenceKind, Buffer][]) {
    const headers = kind === 'video' ? { 'content-type': 'video/mp4' } : {};
    assert.equal((await put(api, id, payload, { kind, headers })).statusCode, 201);
    const reply = await get(api, id, kind);
    assert.deepEqual([reply.rawPayload, reply.headers['content-type']], [payload, kind === 'video' ? 'video/mp4' : 'application/gzip']);
  }
  const { files } = (await api.get(`/visits/${id}/evidence-files`)).body;
  assert.deepEqual(
    files.map(({ kind, bytes, gone }: { kind: string; bytes: number; gone: null }) => [kind, bytes, gone]),
    [
      ['evidence', content.evidence.length, null],
      ['netlog', content.netlog.length, null],
      ['qlog', content.qlog.length, null],
      ['video', mp4.length, null],
    ],
  );
  const refused: [EvidenceKind, Buffer, string, number, RegExp][] = [
    ['video', mp4, 'application/gzip', 415, /Content-Type is "application\/gzip"; expected video\/mp4 or video\/webm/],
    ['video', gzipSync('x'), 'video/webm', 415, /The video begins with the bytes 1f8b; expected WebM/],
    ['trace', mp4, 'application/gzip', 415, /The trace begins with the bytes 0000; expected gzip/],
    ['qlog', Buffer.alloc(0), 'application/gzip', 415, /The qlog is empty|There is no body/],
    [
      'trace',
      gzipped('x', evidenceForms.trace.maxBytes + 1),
      'application/gzip',
      413,
      /The trace has 67108865 bytes; expected at most 67108864\./,
    ],
  ];
  for (const [kind, payload, type, status, words] of refused) {
    const reply = await put(api, id, payload, { kind, headers: { 'content-type': type } });
    assert.equal(reply.statusCode, status, kind);
    assert.match(reply.json().detail, words);
  }
  assert.equal((await put(api, id, gzipSync('x'), { kind: 'photo' as EvidenceKind })).statusCode, 400);
  assert.equal((await get(api, id, 'trace')).statusCode, 404);
  assertWhole(api.app.database, join(api.folder, 'evidence'));
});

test('what arrives with another hash than it was sent with is refused, and nothing of it stays', async (t) => {
  const api = await testApi(t);
  const [id = ''] = await measured(api, 1);
  const digest = (content: Buffer) => ({ 'content-digest': `sha-256=:${createHash('sha256').update(content).digest('base64')}:` });
  const refused = await put(api, id, gzipSync('sent'), { headers: digest(gzipSync('meant')) });
  assert.deepEqual([refused.statusCode, refused.json().type], [400, problemType('malformed-request')]);
  assert.match(
    refused.json().detail,
    /^The SHA-256 of the evidence that arrived is [0-9a-f]{64}; Content-Digest says [0-9a-f]{64}\. Send it again\.$/,
  );
  assert.match(
    (await put(api, id, gzipSync('sent'), { headers: { 'content-digest': 'md5=:AAAA:' } })).json().detail,
    /expected sha-256=:BASE64:/,
  );
  assert.deepEqual(filesOf(join(api.folder, 'evidence')), []);
  assert.equal((await put(api, id, gzipSync('sent'), { headers: digest(gzipSync('sent')) })).statusCode, 201);
});

for (const [how, damage] of [
  [
    'changed',
    (path: string) => writeFileSync(path, Buffer.from(readFileSync(path).map((byte, place) => (place === 12 ? byte ^ 1 : byte)))),
  ],
  ['cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 15))],
  ['missing', (path: string) => rmSync(path)],
] as const) {
  test(`evidence whose file is ${how} is said to be lost instead of being sent, and is healed by sending it again`, async (t) => {
    const api = await testApi(t);
    const [id = '', other = ''] = await measured(api, 2);
    const content = gzipSync('what was seen of the page');
    for (const visit of [id, other]) await put(api, visit, content);
    damage(pathIn(api.folder, content));
    const reply = await get(api, id);
    assert.deepEqual([reply.statusCode, reply.json().type], [410, problemType('contents-removed')]);
    assert.match(reply.json().detail, /is lost: its file was missing or damaged\..* Its metrics stay\.$/);
    assert.equal((await api.get(`/visits/${other}/filmstrip`)).body.missing, 'lost');
    assertWhole(api.app.database, join(api.folder, 'evidence'));
    assert.equal((await put(api, other, content)).statusCode, 201);
    assert.deepEqual((await get(api, other)).rawPayload, content);
  });
}

test('files that nobody knows, and files that are missing or cut off, are found at the start and by retention; what comes back is known again', async (t) => {
  const folder = testFolder(t);
  const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') };
  const content = (place: number) => gzipSync(`evidence ${place}`);
  let api = await testApi(t, paths);
  const ids = await measured(api, 6);
  for (const [place, id] of ids.entries()) await put(api, id, content(place));
  const gone = async () =>
    (await Promise.all(ids.map((id) => api.get(`/visits/${id}/evidence-files`)))).map(({ body }) => body.files[0]?.gone ?? null);

  /** Three of one kind of trouble each, and what a process left that was killed before its transaction. */
  async function trouble(from: number): Promise<void> {
    renameSync(pathIn(folder, content(from)), join(folder, `away-${from}`));
    writeFileSync(pathIn(folder, content(from + 1)), content(from + 1).subarray(0, 9));
    const stray = gzipSync(`stray ${from}`);
    mkdirSync(join(pathIn(folder, stray), '..'), { recursive: true });
    writeFileSync(pathIn(folder, stray), stray);
    const old = join(folder, 'evidence', 'incoming', `half-${from}`);
    writeFileSync(old, 'half');
    utimesSync(old, new Date(0), new Date(0));
    await api.app.commit(() => api.app.database.prepare('INSERT INTO evidence_incoming VALUES (?, 1000, 0)').run(`half-${from}`));
  }
  await trouble(0);
  await api.app.close();
  api = await testApi(t, paths);
  await api.app.evidenceSettled();
  assertWhole(api.app.database, paths.evidenceDirectory);
  assert.deepEqual(await gone(), ['lost', 'lost', null, null, null, null]);
  await trouble(3);
  const { mended } = await api.app.retention.run({ resourcesDays: null, evidenceDays: null, logDays: null });
  assert.deepEqual(mended, { stray: 1, lost: 2, found: 0 });
  rmSync(join(folder, 'evidence', 'incoming', 'half-3'), { force: true });
  assert.deepEqual(await gone(), ['lost', 'lost', null, 'lost', 'lost', null]);
  assertWhole(api.app.database, paths.evidenceDirectory);

  for (const place of [0, 3]) cpSync(join(folder, `away-${place}`), pathIn(folder, content(place)));
  writeFileSync(pathIn(folder, content(1)), content(5)); // another content under its name
  assert.deepEqual(await api.app.evidence.mend(), { stray: 1, lost: 0, found: 2 });
  assert.deepEqual(await gone(), [null, 'lost', null, null, 'lost', null]);
  assert.deepEqual((await get(api, ids[3] ?? '')).rawPayload, content(3));
  assertWhole(api.app.database, paths.evidenceDirectory);
});

test('a database without visits takes no folder of evidence for its own', async (t) => {
  const folder = testFolder(t);
  const api = await testApi(t);
  const content = gzipSync('of another database');
  mkdirSync(join(pathIn(api.folder, content), '..'), { recursive: true });
  writeFileSync(pathIn(api.folder, content), content);
  assert.equal((await api.app.evidence.mend()).stray, 0);
  assert.ok(existsSync(pathIn(api.folder, content)));
  await measured(api, 1);
  assert.equal((await api.app.evidence.mend()).stray, 1);
  assert.ok(existsSync(folder));
});

const each = 10_000;
/** Room for 20 of them. */
const budgetBytes = 20 * each + 500;

test('there is never more than the budget allows, also while many come at once; older campaigns’ valid visits go first', async (t) => {
  const api = await testApi(t, { evidence: { budgetBytes } });
  const evidence = join(api.folder, 'evidence');
  const older = await measured(api, 15, (place) => place % 5 === 0);
  const newest = await measured(api, 15, (place) => place % 5 === 0);
  const most = { bytes: 0 };
  const look = () => {
    most.bytes = Math.max(most.bytes, bytesIn(evidence));
  };
  const watch = setInterval(look, 1);
  t.after(() => clearInterval(watch));
  const send = async (id: string) => {
    const [first, second] = [0, 1].map((part) => gzipped(id, each).subarray(part * (each / 2), (part + 1) * (each / 2)));
    const content = Readable.from([first, second]); // its length is not told before
    await api.app.evidence.put(id, { kind: 'evidence', mediaType: 'application/gzip', content });
    look();
  };
  for (const ids of [older.slice(0, 8), older.slice(8), newest.slice(0, 5), newest.slice(5)]) {
    await Promise.all(ids.map(send));
    look();
  }
  assert.ok(most.bytes > budgetBytes * 0.9 && most.bytes <= budgetBytes, `${most.bytes} of ${budgetBytes}`);
  const statuses = async (ids: string[]) => (await Promise.all(ids.map((id) => get(api, id)))).map(({ statusCode }) => statusCode);
  assert.deepEqual(
    await statuses(newest),
    newest.map(() => 200),
  );
  assert.deepEqual(
    await statuses(older),
    older.map((_, place) => (place % 5 === 0 || place >= 13 ? 200 : 410)),
  );
  const gone = await get(api, older[1] ?? '');
  assert.match(gone.json().detail, /made room for others’ \(evidence\.budgetMb\)\. Pin what shall stay\. Its metrics stay\./);
  assert.equal((await api.get(`/visits/${older[1]}/filmstrip`)).body.missing, 'removed');
  assertWhole(api.app.database, evidence);
  const metrics = await api.app.metrics.text();
  assert.match(metrics, new RegExp(`pronghorn_evidence_size_bytes\\{kind="files"\\} ${bytesIn(evidence)}\n`));
  assert.match(metrics, new RegExp(`pronghorn_evidence_budget_bytes ${budgetBytes}\n`));
  assert.match(metrics, /pronghorn_evidence_removed_total\{why="budget"\} 10\n/);
});

test('what is pinned stays, whatever else there is; when nothing else is left, uploads are refused', async (t) => {
  const api = await testApi(t, { evidence: { budgetBytes } });
  const [old, newer] = [await measured(api, 20), await measured(api, 5)];
  for (const id of old.slice(0, 10)) {
    assert.equal((await api.send('PUT', `/visits/${id}/pin`)).status, 204);
    await put(api, id, gzipped(id, each));
  }
  for (const id of old.slice(10)) await put(api, id, gzipped(id, each));
  for (const id of newer) assert.equal((await put(api, id, gzipped(id, each))).statusCode, 201);
  assert.equal((await get(api, old[0] ?? '')).statusCode, 200);
  assert.equal((await get(api, old[10] ?? '')).statusCode, 410);
  for (const id of [...old, ...newer]) await api.send('PUT', `/visits/${id}/pin`);
  const refused = await put(api, old[10] ?? '', gzipped(old[10] ?? '', each));
  assert.deepEqual([refused.statusCode, refused.json().type], [409, problemType('evidence-full')]);
  assert.match(refused.json().detail, /all that there is is pinned or being received\. Unpin some, or raise the budget\./);
  assert.equal((await put(api, old[10] ?? '', gzipped('too much', budgetBytes + 1))).statusCode, 413);
  await api.send('DELETE', `/visits/${old[0]}/pin`);
  assert.equal((await put(api, old[10] ?? '', gzipped(old[10] ?? '', each))).statusCode, 201);
  assert.equal((await get(api, old[0] ?? '')).statusCode, 410);
  assert.equal((await api.get(`/visits/${newer[0]}/evidence-files`)).body.pinned, true);
  assertWhole(api.app.database, join(api.folder, 'evidence'));
});

test('invalid visits hold half of the budget for sure, and leave the rest to the newest campaign', async (t) => {
  const api = await testApi(t, { evidence: { budgetBytes } });
  const old = await measured(api, 18, () => true);
  for (const id of old) await put(api, id, gzipped(id, each));
  const newest = await measured(api, 30);
  for (const id of newest) await put(api, id, gzipped(id, each));
  const kept = async (ids: string[]) =>
    (await Promise.all(ids.map((id) => get(api, id)))).filter(({ statusCode }) => statusCode === 200).length;
  assert.deepEqual([await kept(old), await kept(newest)], [10, 10]);
  assert.equal(await kept(newest.slice(-10)), 10);
});

test('in threads of their own, commands keep, let go, pin, lose and forget evidence as they do without', async (t) => {
  const folder = testFolder(t);
  const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') };
  const api = await testApi(t, { ...paths, threads: true, evidence: { budgetBytes } });
  const ids = await measured(api, 30);
  const [pinned = '', damaged = ''] = [ids[0], ids[29]];
  assert.equal((await api.send('PUT', `/visits/${pinned}/pin`)).status, 204);
  for (const id of ids) assert.equal((await put(api, id, gzipped(id, each))).statusCode, 201);
  rmSync(pathIn(folder, gzipped(damaged, each)));
  const statuses = async () => (await Promise.all(ids.map((id) => get(api, id)))).map(({ statusCode }) => statusCode);
  assert.deepEqual(
    await statuses(),
    ids.map((id, place) => (id === pinned || (place > 10 && id !== damaged) ? 200 : 410)),
  );
  assertWhole(api.app.database, paths.evidenceDirectory);
  const refused = await put(api, ids[20] ?? '', gzipSync('another'));
  assert.deepEqual([refused.statusCode, refused.json().type], [409, problemType('already-different')]);
  api.clock.now += 10 * 86_400_000;
  assert.equal((await api.app.retention.run({ resourcesDays: 7, evidenceDays: 7, logDays: null })).evidence, 18);
  assert.deepEqual(
    await statuses(),
    ids.map((id) => (id === pinned ? 200 : 410)),
  );
  await api.send('DELETE', `/visits/${pinned}/pin`);
  assert.deepEqual(filesOf(paths.evidenceDirectory), []);
});

test('a budget that became smaller is kept to from the start on', async (t) => {
  const folder = testFolder(t);
  const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') };
  const first = await testApi(t, paths);
  for (const id of await measured(first, 10)) await put(first, id, gzipped(id, each));
  await first.app.close();
  const second = await testApi(t, { ...paths, evidence: { budgetBytes: 5 * each } });
  await second.app.evidenceSettled();
  assert.equal(bytesIn(paths.evidenceDirectory), 5 * each);
});

test('retention removes the evidence of old visits, but for what is pinned until it is no longer', async (t) => {
  const api = await testApi(t);
  const [pinned = '', other = ''] = await measured(api, 2);
  for (const id of [pinned, other]) await put(api, id, gzipSync(id));
  await api.send('PUT', `/visits/${pinned}/pin`);
  api.clock.now += 10 * 86_400_000;
  const policy = { resourcesDays: null, evidenceDays: 7, logDays: null };
  assert.equal((await api.app.retention.preview(policy)).evidence, 1);
  assert.equal((await api.app.retention.run(policy)).evidence, 1);
  assert.deepEqual([(await get(api, pinned)).statusCode, (await get(api, other)).statusCode], [200, 410]);
  await api.send('DELETE', `/visits/${pinned}/pin`);
  assert.match((await get(api, pinned)).json().detail, /retention\.evidenceDays/);
  assertWhole(api.app.database, join(api.folder, 'evidence'));
});

/** Runs the writer. @param killAt the step at which it kills itself; 0: at none. */
const write = (folder: string, text: string, budget: number, bytes: number, killAt: number) =>
  spawnSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      writer,
      join(folder, 'pronghorn.db'),
      join(folder, 'evidence'),
      ...[budget, text, bytes, killAt].map(String),
    ],
    { encoding: 'utf8' },
  );

test('a process that is killed at any step while it makes room leaves no row without its file, and nothing over the budget', async (t) => {
  const base = testFolder(t);
  const api = await testApi(t, { database: join(base, 'pronghorn.db') });
  const ids = await measured(api, 6);
  await api.app.close();
  const [bytes, budget] = [1_000, 3_500];
  const whole = join(testFolder(t), 'whole');
  cpSync(base, whole, { recursive: true });
  const { stdout } = write(whole, 'second', budget, bytes, 0);
  const steps = Number(/steps (\d+)/.exec(stdout)?.[1]);
  // All kinds of steps are among those of the last visit.
  const from = Number(/stored \S+ (\d+)\nstored \S+ \d+\nsteps/.exec(stdout)?.[1]) + 1;
  assert.ok(steps - from > 10, stdout);
  for (let step = from; step <= steps; step += samples(3, 1)) {
    const folder = join(testFolder(t), 'data');
    cpSync(base, folder, { recursive: true });
    const evidence = join(folder, 'evidence');
    const said = write(folder, 'second', budget, bytes, step);
    assert.equal(said.signal, 'SIGKILL', `step ${step}: ${said.stdout}${said.stderr}`);
    assert.ok(bytesIn(evidence) <= budget, `step ${step}: ${bytesIn(evidence)} bytes`);
    const database = openDatabase(join(folder, 'pronghorn.db'));
    const named = database.prepare<[], { name: string }>('SELECT DISTINCT lower(hex(hash)) AS name FROM evidence WHERE gone IS NULL').all();
    for (const { name } of named) assert.equal(nameOf(readFileSync(join(evidence, name.slice(0, 2), name))), name, `step ${step}`);
    // An hour later.
    database.exec('UPDATE evidence_incoming SET since = 0');
    for (const name of readdirSync(join(evidence, 'incoming'))) utimesSync(join(evidence, 'incoming', name), new Date(0), new Date(0));
    const store = storeIn(database, evidence, budget);
    await store.mend();
    assertWhole(database, evidence);
    const stored = [...said.stdout.matchAll(/stored (\S+)/g)].map(([, id = '']) => id);
    for (const id of ids) {
      const found = await store.read(id, 'evidence');
      const isStored = stored.includes(id);
      if (found === undefined) assert.ok(!isStored, `step ${step}: what was answered as stored is known`);
      else if ('gone' in found) assert.equal(found.gone, 'budget', `step ${step}`);
      else {
        const content = await buffer(found.content);
        assert.ok(content.equals(gzipped(`second of ${id}`, bytes)), `step ${step}`);
      }
    }
    for (const id of ids.filter((visit) => !stored.includes(visit))) {
      const content = gzipped(`second of ${id}`, bytes);
      await store.put(id, { kind: 'evidence', mediaType: 'application/gzip', content: Readable.from([content]) });
    }
    assertWhole(database, evidence);
    database.close();
  }
});

test('a full disk refuses what finds no room, and keeps what there is', { skip: !canMount() && 'needs a mount namespace' }, async (t) => {
  const base = testFolder(t);
  const api = await testApi(t, { database: join(base, 'pronghorn.db') });
  const ids = await measured(api, 8);
  await api.app.close();
  const [disk, out] = [join(base, 'disk'), join(base, 'out')];
  for (const folder of [disk, out]) mkdirSync(folder);
  // The database is on the full disk too in the second run.
  for (const [name, database, size] of [
    ['evidence alone', join(base, 'pronghorn.db'), '1m'],
    ['database too', join(disk, 'pronghorn.db'), '2m'],
  ] as const) {
    rmSync(out, { recursive: true });
    const bytes = 200_000;
    const script = `mount -t tmpfs -o size=${size} tmpfs ${disk}
      [ ${database} = ${disk}/pronghorn.db ] && cp ${base}/pronghorn.db ${disk}/ && dd if=/dev/zero of=${disk}/other bs=1k count=100 status=none
      ${process.execPath} --disable-warning=ExperimentalWarning ${writer} ${database} ${disk}/evidence 0 text ${bytes}
      rm -f ${disk}/other; cp -r ${disk} ${out}; [ ${database} = ${disk}/pronghorn.db ] || cp ${database}* ${out}/`;
    const said = execFileSync('unshare', ['-m', 'sh', '-c', script], { encoding: 'utf8' });
    const [stored, failed] = ['stored', 'failed'].map((word) =>
      [...said.matchAll(new RegExp(`${word} (\\S+)`, 'g'))].map(([, id = '']) => id),
    );
    assert.ok((stored?.length ?? 0) > 0 && (failed?.length ?? 0) > 0, `${name}: ${said}`);
    assert.match(said, /failed \S+ (ENOSPC|SQLITE_FULL)/);
    const copy = openDatabase(join(out, 'pronghorn.db'));
    const evidence = join(out, 'evidence');
    const store = storeIn(copy, evidence);
    assertWhole(copy, evidence);
    for (const id of ids) assert.equal((await store.read(id, 'evidence')) !== undefined, stored?.includes(id), name);
    copy.close();
  }
});

function canMount(): boolean {
  return spawnSync('unshare', ['-m', 'true']).status === 0 && process.getuid?.() === 0;
}
