// Odd pages by browsertime, and its programs killed; e2e/browsertime.test.ts has what a visit tells.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type EngineOptions, type Limits, pageMetrics } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import type { PerformedVisit } from '../../src/lease/visit.ts';
import { filesOf, lacksBrowsertime, ofProcess, running, soon, using } from '../browsertime-processes.ts';
import { type Laboratory, openLaboratory } from '../laboratory.ts';

const limits: Partial<Limits> = { loadTimeoutMs: 3_000, settleMaxMs: 1_500, quietMs: 100 };

describe('visits by browsertime', { ...proves('engines', 'crashes'), skip: lacksBrowsertime() }, () => {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory();
  });
  after(async () => {
    await laboratory.close();
    assert.deepEqual(running(ofProcess(process.pid)), [], 'nothing that it started is left');
    assert.deepEqual(filesOf(process.pid), [], 'no file is left');
  });
  const url = (name: string): string => laboratory.origin.sites.find((site) => site.name === name)?.url ?? '';
  const visit = (page: string, protocol: Protocol, engineOptions: EngineOptions = {}, given: Partial<Limits> = {}) =>
    laboratory.visit(page, protocol, { spec: { engine: 'browsertime', engineOptions, limits: given } });
  const metricsOf = ({ visit: { outcome } }: PerformedVisit) => {
    return pageMetrics(outcome) ?? assert.fail(JSON.stringify(outcome));
  };

  test('the first frame without orange is that of the first paint', async () => {
    const { firstVisualChange, firstContentfulPaint } = metricsOf(await visit(url('article'), 'h2'));
    // 30 frames a second, of which the first without orange is before the navigation.
    assert.ok(Math.abs((firstVisualChange ?? 0) - (firstContentfulPaint ?? 0)) < 150, `${firstVisualChange}, ${firstContentfulPaint}`);
  });

  type Odd = keyof Laboratory['origin']['odd'];
  const invalid: [Odd, InvalidReason, RegExp][] = [
    ['status404', 'http-status', /404/],
    ['endlessDocument', 'load-timeout', /after 3 s/],
    ['endlessImage', 'load-timeout', /still open: https:/],
    ['infiniteLoop', 'load-timeout', /./],
    ['download', 'not-a-page', /download/],
    ['selfSigned', 'tls-error', /ERR_CERT/],
  ];
  for (const [name, reason, detail] of invalid) {
    test(`${name}: ${reason}, in its time`, async () => {
      const started = performance.now();
      const { outcome } = (await visit(laboratory.origin.odd[name], 'h2', { video: name === 'endlessImage' }, limits)).visit;
      assert.ok(performance.now() - started < 60_000, `${performance.now() - started} ms`);
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
      const from = Date.now() / 1_000;
      const visiting = visit(laboratory.origin.odd.endlessImage, 'h2', {}, { ...limits, loadTimeoutMs: 20_000 });
      await laboratory.logged(from, (entries) => entries.some(({ uri }) => uri.includes('endless-image')));
      assert.ok(kill(victim) > 0);
      const { outcome } = (await visiting).visit;
      assert.ok(performance.now() - started < 90_000, `${performance.now() - started} ms`);
      assert.ok(outcome.verdict === 'invalid' && reasons.includes(outcome.reason), JSON.stringify(outcome));
      metricsOf(await visit(url('article'), 'h2', { video: false }));
    });
  }

  test('a runner that is killed takes all along that a visit of it started', async () => {
    const program = fileURLToPath(new URL('../browsertime-to-kill.ts', import.meta.url));
    const page = laboratory.origin.odd.endlessImage;
    const child = spawn(process.execPath, [program, page, JSON.stringify(laboratory.origin.trust)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const folder = ofProcess(child.pid);
    await soon(() => running(folder).some((command) => command.includes('ffmpeg')), 60_000);
    const before = running(folder);
    assert.ok(before.length >= 5, before.join('\n'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(await soon(() => running(folder).length === 0, 60_000), running(folder).join('\n'));
  });
});

/** Kills a program of the visit that runs. */
function kill(name: string): number {
  const found = using(ofProcess(process.pid)).filter(({ command }) => {
    const [program = ''] = command.split(' ');
    return program.slice(program.lastIndexOf('/') + 1).startsWith(name) && (name === 'chromedriver' || !program.endsWith('chromedriver'));
  });
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went with another.
    }
  }
  return found.length;
}
