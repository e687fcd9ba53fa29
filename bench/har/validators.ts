// HAR files of 51 visits over h1, h2 and h3, beside three validators, two readers and a finder of secrets, and beside the stored metrics.
// Takes 5 minutes. node bench har/validators [OPTIONS OF ./pronghorn demo], such as --engine firefox; brings the validators by npm and pip.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Har, HarEntry } from '../../packages/core/src/campaign/index.ts';
import { type PageMetrics, pageMetrics, type Visit } from '../../packages/core/src/schemas/index.ts';
import { neverLeft } from '../../packages/runner/src/derive/holes.ts';
import { majorVersion } from '../../packages/runner/src/derive/traffic.ts';
import { bringPackages, onceFor } from '../shared/tools.ts';

const tools = bringPackages('har');
const requirements = join(import.meta.dirname, 'requirements.txt');
onceFor(requirements, tools, () => {
  execFileSync('python3', ['-m', 'venv', join(tools, 'python')], { stdio: 'inherit' });
  execFileSync(join(tools, 'python/bin/pip'), ['install', '--quiet', '-r', requirements], { stdio: 'inherit' });
});
const require = createRequire(join(tools, 'package.json'));
const { HarValidator } = require('@har-sdk/validator') as {
  HarValidator: new () => { verify(har: unknown): Promise<{ message: string }[]> };
};
const { har: harValidator } = require('har-validator') as { har(har: unknown): Promise<unknown> };
const pagexray = require('pagexray') as { convert(har: unknown): XrayedPage[] };

// Its files name each other as bundlers read them.
registerHooks({
  resolve: (name, context, next) => {
    try {
      return next(name, context);
    } catch {
      return next(`${name}.js`, context);
    }
  },
});
const { transformDoc } = (await import(join(tools, 'node_modules/perf-cascade/lib/transformers/har.js'))) as {
  transformDoc(har: unknown, options: object): { pages: { entries: unknown[]; marks: { startTime: number }[] }[] };
};

interface XrayedPage {
  requests: number;
  transferSize: number;
  contentSize: number;
  finalUrl: string;
}

/** 17 sites over three protocols: 51 visits. Of the web: third parties, compression, redirects, caches, what never ends, what fails. */
const sites = [
  ...['article', 'shop', 'large-objects', 'scripts', 'sharded'],
  ...['third-parties', 'flaky-host', 'no-h3', 'application', 'preconnect', 'early-hints'],
  ...['service-worker', 'cookie-reload', 'geo', 'event-stream', 'websocket', 'soft-404'],
];
const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'pronghorn-har-'));
try {
  const [hars, json] = [join(folder, 'har'), join(folder, 'all.json')];
  const usual = ['--sites', sites.join(), '--conditions', 'native', '--protocols', 'h1,h2,h3', '--rounds', '1', '--busy', '1', '--no-open'];
  const files = ['--data', join(folder, 'data'), '--har', hars, '--json', json];
  const { status } = spawnSync(process.execPath, [main, 'demo', ...usual, ...process.argv.slice(2), ...files], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (!existsSync(json)) throw new Error(`demo ended with ${status} and wrote nothing.`);
  const visits: Visit[] = JSON.parse(readFileSync(json, 'utf8')).visits;
  process.exitCode = (await check(hars, new Map(visits.map((visit) => [visit.id, visit])))) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** @returns true if the validator found no error */
async function check(hars: string, visits: ReadonlyMap<string, Visit>): Promise<boolean> {
  const findings: { by: string; file: string; what: string }[] = [];
  const python = new Map(
    execFileSync(join(tools, 'python/bin/python'), [fileURLToPath(new URL('check.py', import.meta.url)), hars], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; wrong: string[]; secrets: string[] })
      .map((line) => [line.file, line]),
  );
  const archives = readdirSync(hars).map((file) => ({ file, har: JSON.parse(readFileSync(join(hars, file), 'utf8')) as Har }));
  // A failed visit, such as one over HTTP/3 to a server without it, may have no request; some validators require one.
  const files = archives.filter(({ har }) => har.log.entries.length > 0);
  const counts = { entries: 0, onWire: 0, headers: 0, body: 0, both: 0, whole: 0, framed: 0 };
  let valid = 0;
  for (const { file, har } of files) {
    const note = (by: string, what: readonly string[]) => findings.push(...what.map((one) => ({ by, file, what: one })));
    note(
      '@har-sdk/validator',
      (await new HarValidator().verify(har)).map(({ message }) => message),
    );
    note(
      'har-validator',
      await harValidator(structuredClone(har)).then(
        () => [],
        (error) => [String(error.message)],
      ),
    );
    note('hario-core', python.get(file)?.wrong ?? ['not read']);
    note('har-capture', python.get(file)?.secrets ?? ['not read']);
    const { entries, pages } = har.log;
    const { outcome } = visits.get(pages[0].id) as Visit;
    note('pagexray', xrayed(har));
    note('perf-cascade', drawn(har));
    const measured = pageMetrics(outcome);
    if (measured !== null) {
      valid += 1;
      note('sums', unequal(har, measured));
    }
    for (const { response, _fromCache } of entries) {
      const { headersSize, bodySize, httpVersion, _transferSize } = response;
      counts.entries += 1;
      if (_fromCache !== undefined || response.status === 0) continue;
      counts.onWire += 1;
      if (headersSize >= 0) counts.headers += 1;
      if (bodySize >= 0) counts.body += 1;
      if (headersSize < 0 || bodySize < 0) continue;
      counts.both += 1;
      // Firefox reports only the bytes of bodies as transferred.
      const isOfBody = har.log.browser?.name === 'Firefox';
      const rest = _transferSize - (isOfBody ? 0 : headersSize) - bodySize;
      if (rest === 0) counts.whole += 1;
      else if (httpVersion === 'h2' && rest > 0 && rest % 9 === 0) counts.framed += 1;
      else if (httpVersion !== 'http/1.1' || rest < 0)
        note('sizes', [`${_transferSize} bytes are not ${headersSize} and ${bodySize}, over ${httpVersion}`]);
    }
  }
  const by = ['@har-sdk/validator', 'har-validator', 'hario-core', 'har-capture', 'pagexray', 'perf-cascade', 'sums', 'sizes'];
  const empty = archives.length - files.length;
  console.log(
    `${archives.length} HAR files of ${visits.size} visits, ${empty} without a request, ${valid} valid; ${counts.entries} entries`,
  );
  console.table(
    Object.fromEntries(
      by.map((name) => {
        const of = name === 'sums' ? valid : files.length;
        return [name, { 'nothing wrong in': of - new Set(findings.filter((one) => one.by === name).map(({ file }) => file)).size, of }];
      }),
    ),
  );
  console.log(
    `Of ${counts.onWire} responses over the network, headersSize is known of ${counts.headers}, bodySize of ${counts.body}. Where both are (${counts.both}), they make _transferSize in ${counts.whole}, and with frames of HTTP/2 in ${counts.framed}.`,
  );
  for (const { by: name, file, what } of findings.slice(0, 20)) console.log(`${name}: ${file}: ${what}`);
  if (findings.length > 20) console.log(`… ${findings.length - 20} more`);
  return findings.length === 0;
}

/** Compares the numbers that sitespeed.io’s reader computes with the stored ones. */
function xrayed(har: Har): string[] {
  const [page] = pagexray.convert(structuredClone(har));
  if (page === undefined) return ['no page'];
  const { entries } = har.log;
  const sum = (of: (entry: HarEntry) => number) => entries.reduce((all, entry) => all + of(entry), 0);
  return differences({
    requests: [page.requests, entries.length],
    // Where the length after decompression is unknown (Firefox), that reader uses the transferred length.
    contentSize: [page.contentSize, sum(({ response: { content, bodySize } }) => (content.size < 0 ? bodySize : content.size))],
    transferSize: [page.transferSize, sum(({ response }) => response.bodySize)],
  });
}

/** Rows and lines of the waterfall that sitespeed.io’s compare draws. */
function drawn(har: Har): string[] {
  const [page] = transformDoc(structuredClone(har), {}).pages;
  const { pages, entries } = har.log;
  return differences({
    rows: [page?.entries.length ?? 0, entries.length],
    lines: [page?.marks.length ?? 0, Object.values(pages[0].pageTimings).filter((ms) => ms >= 0).length],
  });
}

/** Compares the sums over an archive's entries with the stored metrics of its visit. */
function unequal(har: Har, stored: PageMetrics): string[] {
  const { entries, pages } = har.log;
  const sent = entries.filter(
    ({ _fromCache, response }) => _fromCache === undefined && !neverLeft({ blocked: response._error, status: response.status || null }),
  );
  const answered = sent.filter(({ response }) => response.status !== 0 && response.httpVersion !== 'unknown');
  const bytes = (some: readonly HarEntry[]) => some.reduce((sum, { response }) => sum + response._transferSize, 0);
  const over = (version: number) => answered.filter(({ response }) => majorVersion(response.httpVersion) === version);
  const share = (part: number, of: number) => (of === 0 ? 0 : part / of);
  return differences({
    onLoad: [pages[0].pageTimings.onLoad, stored.onLoad],
    onContentLoad: [pages[0].pageTimings.onContentLoad, stored.domContentLoaded],
    requests: [sent.length, stored.requests],
    transferBytes: [bytes(sent), stored.transferBytes],
    connections: [new Set(answered.flatMap(({ connection }) => connection ?? [])).size, stored.connections],
    hosts: [new Set(answered.map(({ request }) => new URL(request.url).host)).size, stored.hosts],
    ...Object.fromEntries(
      ([1, 2, 3] as const).flatMap((version) => [
        [`h${version}Share`, [share(over(version).length, answered.length), stored[`h${version}Share`]]],
        [`h${version}ByteShare`, [share(bytes(over(version)), bytes(answered)), stored[`h${version}ByteShare`]]],
      ]),
    ),
  });
}

function differences(pairs: Record<string, [number, number]>): string[] {
  return Object.entries(pairs).flatMap(([name, [found, expected]]) =>
    found === expected ? [] : [`${name} is ${found}, expected ${expected}`],
  );
}
