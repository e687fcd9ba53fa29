// The store of evidence under a budget: whether it is ever over, what is kept, whether anything dangles; and what storing costs beside a plain file for each
// visit, turn by turn in one run. The evidence is real visits', repeated with other times.
// node bench/service/evidence-store.ts [VISITS] [BUDGET_MB] [CAMPAIGNS]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { buildApi } from '../../packages/api/src/app.ts';
import { invalidOutcome, sampleVisit } from '../../packages/api/src/testing/samples.ts';
import { median, quantile, randomSource } from '../../packages/core/src/math/index.ts';

const [visits = 5_000, budgetMb = 200, campaigns = 10] = process.argv.slice(2).map(Number);
const budgetBytes = budgetMb * 1e6;
/** One of so many is invalid. */
const invalidEvery = 50;
/** Campaigns whose uploads come at once; those of the others come one by one, and are timed. */
const crowded = new Set([campaigns - 1, campaigns]);
const atOnce = 8;

const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const [directory, plain] = [join(folder, 'evidence'), join(folder, 'plain')];
mkdirSync(join(plain, 'incoming'), { recursive: true });
const database = join(folder, 'pronghorn.db');
const unlimited = join(folder, 'unlimited');
const random = randomSource(1);

const fixtures = join(import.meta.dirname, '../../packages/runner/fixtures');
/** As runners send it: 50 to 60 KB. */
const real = readdirSync(fixtures)
  .filter((name) => name.endsWith('.evidence.json.gz'))
  .map((name) => JSON.parse(gunzipSync(readFileSync(join(fixtures, name))).toString()))
  .filter((document) => Math.abs(gzipSync(JSON.stringify(document), { level: 1 }).length - 55_000) < 25_000);
function repeated(place: number): Buffer {
  const document = structuredClone(real[place % real.length]);
  const evidence = document.evidence ?? document;
  evidence.startedAt = new Date(Date.parse('2026-03-01T12:00:00Z') + place * 1_000 + Math.floor(random() * 1_000)).toISOString();
  for (const frame of evidence.frames ?? []) frame.timestamp += place * 1_000 + random();
  for (const { params } of evidence.network ?? []) if (typeof params.timestamp === 'number') params.timestamp += random();
  return gzipSync(JSON.stringify(document), { level: 1 });
}

/** As it was before: received, synced, given its name. */
async function storePlainly(id: string, content: Readable): Promise<void> {
  const [received, path] = [join(plain, 'incoming', id), join(plain, id.slice(0, 2), id)];
  {
    await using file = await open(received, 'wx');
    for await (const chunk of content) await file.writeFile(chunk);
    await file.datasync();
  }
  await mkdir(join(path, '..'), { recursive: true });
  await rename(received, path);
}

/** Of all files below the folder, those included that are being received. */
function bytesIn(path: string): number {
  let sum = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    sum += entry.isDirectory() ? bytesIn(below) : (statSync(below, { throwIfNoEntry: false })?.size ?? 0);
  }
  return sum;
}

const stores = [
  { name: 'a plain file for each visit (before)', took: [] as number[] },
  { name: 'the store without a budget', took: [] as number[] },
  { name: 'the store within its budget, with room', took: [] as number[] },
  { name: 'the store within its budget, full', took: [] as number[] },
] as const;
const app = await buildApi({ database, evidenceDirectory: directory, evidence: { budgetBytes } });
const free = await buildApi({ database: join(folder, 'free.db'), evidenceDirectory: unlimited });
type Stored = { id: string; campaign: number; isInvalid: boolean };
const stored: Stored[] = [];
let [most, looks, over, sent, inAll] = [0, 0, 0, 0, 0];
function look(): void {
  const bytes = bytesIn(directory);
  looks += 1;
  most = Math.max(most, bytes);
  if (bytes > budgetBytes) over += 1;
}

try {
  const each = Math.ceil(visits / campaigns);
  for (let campaign = 1; campaign <= campaigns; campaign += 1) {
    const request = { sites: [{ url: 'https://site.example/' }], protocols: ['h2' as const], rounds: each };
    const [campaignId, freeId] = [await app.queue.submit(request), await free.queue.submit(request)];
    const waiting: Promise<unknown>[] = [];
    for (let round = 0; round < each; round += 1) {
      const isInvalid = round % invalidEvery === 0;
      const ids: string[] = [];
      for (const [service, id] of [
        [app, campaignId],
        [free, freeId],
      ] as const) {
        const lease = await service.queue.lease({ runner: 'bench', campaignId: id });
        if (lease === null) throw new Error('The queue is empty.');
        const visit = sampleVisit(lease, 0, { resources: [], ...(isInvalid ? invalidOutcome('load-timeout') : {}) });
        await service.queue.upload(lease.id, visit);
        await service.queue.complete(lease.id);
        ids.push(visit.id);
      }
      const [id = '', freeVisit = ''] = ids;
      const content = repeated(stored.length);
      stored.push({ id, campaign, isInvalid });
      sent += content.length;
      const incoming = () => ({
        kind: 'evidence' as const,
        mediaType: 'application/gzip',
        content: Readable.from([content]),
        bytes: content.length,
      });
      if (crowded.has(campaign)) {
        waiting.push(app.evidence.put(id, incoming()).then(look));
        if (waiting.length === atOnce) await Promise.all(waiting.splice(0));
        continue;
      }
      const isFull = app.evidence.usedBytes() + content.length > budgetBytes;
      inAll += 1;
      const turns = [
        [stores[0], () => storePlainly(id, incoming().content)],
        [stores[1], () => free.evidence.put(freeVisit, incoming())],
        [stores[isFull ? 3 : 2], () => app.evidence.put(id, incoming())],
      ] as const;
      for (let turn = 0; turn < turns.length; turn += 1) {
        const [store, work] = turns[(turn + stored.length) % turns.length] ?? turns[0];
        const began = performance.now();
        await work();
        store.took.push(performance.now() - began);
      }
      look();
    }
    await Promise.all(waiting);
    // A plain file cannot be removed by its worth: here the disk would be full.
    if (campaign % 2 === 0)
      for (const path of [plain, unlimited])
        for (const name of readdirSync(path)) if (name !== 'incoming') rmSync(join(path, name), { recursive: true });
  }

  const kept = async (which: (one: Stored) => boolean) => {
    let [there, whole] = [0, 0];
    const those = stored.filter(which);
    for (const { id } of those) {
      const found = await app.evidence.read(id, 'evidence');
      if (found === undefined || 'gone' in found) continue;
      there += 1;
      if ((await buffer(found.content)).length === found.bytes) whole += 1;
    }
    return `${there} of ${those.length} (${whole} whole, by their hash)`;
  };
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  console.log(
    `${stored.length} visits of ${campaigns} campaigns, ${mb(sent)} MB of evidence, ${(sent / stored.length / 1e3).toFixed(1)} KB each, of ${real.length} real visits`,
  );
  console.log(
    `budget ${mb(budgetBytes)} MB: ${over} of ${looks} looks after an upload found more; the most was ${(most / 1e6).toFixed(3)} MB`,
  );
  console.log(`kept: newest campaign ${await kept(({ campaign }) => campaign === campaigns)}`);
  console.log(`      invalid         ${await kept(({ isInvalid }) => isInvalid)}`);
  for (let campaign = 1; campaign < campaigns; campaign += 1) {
    console.log(
      `      campaign ${String(campaign).padStart(2)}, valid ${await kept((one) => one.campaign === campaign && !one.isInvalid)}`,
    );
  }
  const { stray, lost, found } = await app.evidence.mend();
  console.log(`dangling: ${stray} files without a row, ${lost} rows without a file; ${found} found again`);
  console.log(`index: ${JSON.stringify(app.evidence.usage())}, files on disk ${mb(bytesIn(directory))} MB`);
  const before = median(stores[0].took);
  for (const { name, took } of stores) {
    if (took.length === 0) continue;
    const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => quantile(took, share).toFixed(2));
    console.log(
      `${name.padEnd(38)} ${String(took.length).padStart(5)} uploads  p50 ${p50}  p90 ${p90}  p99 ${p99} ms  ${(median(took) / before).toFixed(2)} of before`,
    );
  }
  console.log(`${inAll} uploads timed one by one, ${stored.length - inAll} came ${atOnce} at once`);
} finally {
  await app.close();
  await free.close();
  rmSync(folder, { recursive: true });
}
