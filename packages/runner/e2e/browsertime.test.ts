import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type EngineOptions, pageMetrics } from '@pronghorn/core/schemas';
import { isThorough, proves } from '@pronghorn/core/testing';
import { alpnOf, protocols } from '@pronghorn/core/vocabulary';
import type { PerformedVisit } from '../src/lease/visit.ts';
import { filesOf, lacksBrowsertime, ofProcess, running } from './browsertime-processes.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

// e2e/thorough/browsertime.test.ts has odd pages and kills.
describe('visits by browsertime', { ...proves('engines'), skip: lacksBrowsertime() }, () => {
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
  const visit = (page: string, protocol: (typeof protocols)[number], engineOptions: EngineOptions = {}) =>
    laboratory.visit(page, protocol, { spec: { engine: 'browsertime', engineOptions } });
  const metricsOf = ({ visit: { outcome } }: PerformedVisit) => {
    return pageMetrics(outcome) ?? assert.fail(JSON.stringify(outcome));
  };

  for (const protocol of protocols) {
    const video = isThorough || protocol === 'h3';
    test(`a visit over ${protocol} has every object over it, says Chrome and says nginx${video ? ', and a SpeedIndex from video' : ''}`, async (t) => {
      const from = Date.now() / 1_000;
      const performed = await visit(url('article'), protocol, { video });
      const metrics = metricsOf(performed);
      const { resources } = performed.visit;
      for (const resource of resources) assert.equal(resource.protocol, alpnOf[protocol], resource.url);
      const logged = await laboratory.logged(from, ({ length }) => length >= resources.length);
      assert.deepEqual([...new Set(logged.map((entry) => entry.protocol))], [alpnOf[protocol]]);
      assert.equal(logged.length, resources.length);
      const { ttfb, domContentLoaded, onLoad, loadEventEnd, firstContentfulPaint, largestContentfulPaint, speedIndex } = metrics;
      assert.ok(ttfb > 0 && ttfb < domContentLoaded && domContentLoaded <= onLoad && onLoad <= loadEventEnd);
      assert.ok(firstContentfulPaint !== null && largestContentfulPaint !== null);
      const { driver, speedIndexFrom, flags } = performed.environment?.browser ?? assert.fail('no environment');
      assert.deepEqual([driver?.name, driver?.viewport], ['browsertime', '1366 × 768'], 'the viewport of the other engines');
      const isHeadless = flags.some((flag) => flag.startsWith('--headless'));
      assert.deepEqual([isHeadless, flags.some((flag) => /no-sandbox/.test(flag))], [!video, false], flags.join());
      if (!video) {
        assert.deepEqual([speedIndex, speedIndexFrom, performed.files], [null, undefined, []]);
        return;
      }
      assert.ok(speedIndex !== null && speedIndexFrom === 'video');
      assert.ok(speedIndex >= (metrics.firstVisualChange ?? 0) && speedIndex <= (metrics.lastVisualChange ?? 0));
      const [film] = performed.files;
      assert.ok(film?.kind === 'video' && film.content.toString('latin1', 4, 8) === 'ftyp');
      t.diagnostic(`film: ${film.content.length} bytes`);
    });
  }

  test('a page whose connection breaks is an invalid visit', async () => {
    const { outcome } = (await visit(laboratory.origin.odd.cutOff, 'h2', { video: false })).visit;
    assert.ok(outcome.verdict === 'invalid' && outcome.reason === 'connection-error', JSON.stringify(outcome));
    assert.match(outcome.detail, /ERR_/);
  });
});
