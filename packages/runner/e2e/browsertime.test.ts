import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type EngineOptions, type Limits, pageMetrics } from '@pronghorn/core/schemas';
import { alpnOf, type InvalidReason, protocols } from '@pronghorn/core/vocabulary';
import { readAccessLog } from '@pronghorn/origin';
import type { PerformedVisit } from '../src/lease/visit.ts';
import { findBrowsertime } from '../src/machine/find.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

const limits: Partial<Limits> = { loadTimeoutMs: 3_000, settleMaxMs: 1_500, quietMs: 100 };

describe('visits by browsertime', { skip: lack() }, () => {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory();
  });
  after(async () => {
    await laboratory.close();
    assert.deepEqual(running(ofProcess(process.pid)), [], 'nothing that it started is left');
    const folders = readdirSync(home).filter((name) => name.startsWith(`${process.pid}-`));
    assert.deepEqual(
      folders.flatMap((name) => readdirSync(join(home, name))),
      [],
      'no file is left',
    );
  });
  const url = (name: string): string => laboratory.origin.sites.find((site) => site.name === name)?.url ?? '';
  const visit = (page: string, protocol: (typeof protocols)[number], engineOptions: EngineOptions = {}, given: Partial<Limits> = {}) =>
    laboratory.visit(page, protocol, { spec: { engine: 'browsertime', engineOptions, limits: given } });
  const metricsOf = ({ visit: { outcome } }: PerformedVisit) => {
    return pageMetrics(outcome) ?? assert.fail(JSON.stringify(outcome));
  };

  for (const protocol of protocols) {
    test(`a visit over ${protocol} has every object over it, says Chrome and says nginx, and a SpeedIndex from video`, async (t) => {
      const from = Date.now() / 1_000;
      const performed = await visit(url('article'), protocol);
      const metrics = metricsOf(performed);
      const { resources } = performed.visit;
      for (const resource of resources) assert.equal(resource.protocol, alpnOf[protocol], resource.url);
      const logged = (await readAccessLog(laboratory.origin.accessLog)).filter(({ time }) => time >= from);
      assert.deepEqual([...new Set(logged.map((entry) => entry.protocol))], [alpnOf[protocol]]);
      assert.equal(logged.length, resources.length);
      const { ttfb, domContentLoaded, onLoad, loadEventEnd, firstContentfulPaint, largestContentfulPaint, speedIndex } = metrics;
      assert.ok(ttfb > 0 && ttfb < domContentLoaded && domContentLoaded <= onLoad && onLoad <= loadEventEnd);
      assert.ok(firstContentfulPaint !== null && largestContentfulPaint !== null && speedIndex !== null);
      // 30 frames a second, of which the first without orange is before the navigation.
      assert.ok(
        Math.abs((metrics.firstVisualChange ?? 0) - firstContentfulPaint) < 150,
        `${metrics.firstVisualChange}, ${firstContentfulPaint}`,
      );
      assert.ok(speedIndex >= (metrics.firstVisualChange ?? 0) && speedIndex <= (metrics.lastVisualChange ?? 0));
      const [film] = performed.files;
      assert.ok(film?.kind === 'video' && film.content.toString('latin1', 4, 8) === 'ftyp');
      t.diagnostic(`film: ${film.content.length} bytes`);
      const browser = performed.environment?.browser;
      assert.deepEqual([browser?.driver?.name, browser?.speedIndexFrom], ['browsertime', 'video']);
      assert.ok(!browser?.flags.some((flag) => /headless|no-sandbox/.test(flag)), browser?.flags.join());
    });
  }

  test('the page has the viewport of the other engines', async () => {
    for (const video of [true, false])
      assert.equal((await visit(url('article'), 'h2', { video })).environment?.browser.driver?.viewport, '1366 × 768', `video ${video}`);
  });

  test('without a video SpeedIndex is null, and the environment another', async () => {
    const performed = await visit(url('article'), 'h2', { video: false });
    assert.equal(metricsOf(performed).speedIndex, null);
    assert.equal(performed.environment?.browser.speedIndexFrom, undefined);
    assert.deepEqual(performed.files, []);
  });

  type Odd = keyof Laboratory['origin']['odd'];
  const invalid: [Odd, InvalidReason, RegExp][] = [
    ['status404', 'http-status', /404/],
    ['endlessDocument', 'load-timeout', /3000 ms/],
    ['endlessImage', 'load-timeout', /1 request/],
    ['infiniteLoop', 'load-timeout', /./],
    ['cutOff', 'connection-error', /ERR_/],
    ['download', 'not-a-page', /download/],
    ['selfSigned', 'tls-error', /ERR_CERT/],
  ];
  for (const [name, reason, detail] of invalid) {
    test(`${name}: ${reason}, in its time`, async () => {
      const started = performance.now();
      const { outcome } = (await visit(laboratory.origin.odd[name], 'h2', { video: name === 'endlessImage' }, limits)).visit;
      assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`);
      assert.ok(outcome.verdict === 'invalid' && outcome.reason === reason, JSON.stringify(outcome));
      assert.match(outcome.detail, detail);
    });
  }

  for (const name of ['alert', 'openStream', 'animation', 'empty'] as const) {
    test(`${name} is measured all the same`, async () => {
      const performed = await visit(laboratory.origin.odd[name], 'h2', {}, limits);
      if (name === 'empty') assert.equal(metricsOf(performed).speedIndex, null, 'nothing was painted: no number, rather than zero');
      else assert.ok((metricsOf(performed).speedIndex ?? 0) > 0);
    });
  }

  const victims: [string, readonly InvalidReason[]][] = [
    ['chromedriver', ['engine-error', 'browser-crashed']],
    ['chrom', ['browser-crashed', 'engine-error']],
    ['Xvfb', ['engine-error', 'browser-crashed', 'no-visual-progress']],
    ['ffmpeg', ['no-visual-progress', 'engine-error', 'load-timeout']],
  ];
  for (const [victim, reasons] of victims) {
    test(`a killed ${victim} is an invalid visit that ends soon, and the next one is valid`, async () => {
      const started = performance.now();
      const visiting = visit(laboratory.origin.odd.endlessImage, 'h2', {}, { ...limits, loadTimeoutMs: 10_000 });
      assert.ok((await kill(victim)) > 0);
      const { outcome } = (await visiting).visit;
      assert.ok(performance.now() - started < 40_000, `${performance.now() - started} ms`);
      assert.ok(outcome.verdict === 'invalid' && reasons.includes(outcome.reason), JSON.stringify(outcome));
      metricsOf(await visit(url('article'), 'h2', { video: false }));
    });
  }

  test('a runner that is killed takes all along that a visit of it started', async () => {
    const program = fileURLToPath(new URL('./browsertime-to-kill.ts', import.meta.url));
    const page = laboratory.origin.odd.endlessImage;
    const child = spawn(process.execPath, [program, page, JSON.stringify(laboratory.origin.trust)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const folder = ofProcess(child.pid);
    await soon(() => running(folder).some((command) => command.includes('ffmpeg')), 20_000);
    const before = running(folder);
    assert.ok(before.length >= 5, before.join('\n'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(await soon(() => running(folder).length === 0, 5_000), running(folder).join('\n'));
  });
});

const home = join(tmpdir(), `pronghorn-${process.getuid?.()}`);
/** How the temporary folders of a process begin. */
const ofProcess = (pid: number | undefined): string => join(home, `${pid}-`);

/** What the machine lacks for it; false: nothing. */
function lack(): string | false {
  try {
    findBrowsertime(true);
    return false;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Processes whose command line or environment names a folder that begins so: pid and program. */
function using(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((entry) => {
    try {
      const read = (what: string) => readFileSync(`/proc/${Number(entry)}/${what}`, 'utf8');
      const command = read('cmdline').replaceAll('\0', ' ');
      const isIt = command !== '' && (command.includes(folder) || read('environ').includes(folder));
      return isIt ? [{ pid: Number(entry), command }] : [];
    } catch {
      return [];
    }
  });
}

const running = (folder: string): string[] => using(folder).map(({ command }) => command);

async function soon(is: () => boolean, ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; ) {
    if (is()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return is();
}

/** Kills a program of the visit that runs, once the page loads. */
async function kill(name: string): Promise<number> {
  const folder = ofProcess(process.pid);
  const victims = () =>
    using(folder).filter(({ command }) => {
      const [program = ''] = command.split(' ');
      return program.slice(program.lastIndexOf('/') + 1).startsWith(name) && (name === 'chromedriver' || !program.endsWith('chromedriver'));
    });
  await soon(() => using(folder).some(({ command }) => command.includes('ffmpeg')), 20_000);
  // The recorder runs for 0.8 s before the navigation.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const found = victims();
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went with another.
    }
  }
  return found.length;
}
