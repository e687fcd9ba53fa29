// A client that is short of CPU time sees answers later than they came: this judges how late.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TransactionMetrics } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { type Protocol, protocols } from '@pronghorn/core/vocabulary';
import { startOrigin } from '@pronghorn/origin';
import { openLink } from '../../src/link/link.ts';
import { findTransaction } from '../../src/machine/find.ts';
import { callsOf, lacksTransaction, visitsOver } from '../laboratory.ts';

test('an answer that is delayed takes its delay, by either client', { ...proves('rest-calls'), skip: lacksTransaction() }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'pronghorn-e2e-'));
  const origin = await startOrigin({ directory, calls: { program: findTransaction() } });
  const link = await openLink({ choice: 'direct', conditions: [], outside: false });
  const visits = visitsOver(link, callsOf(origin));
  t.after(async () => {
    await visits.engine.close();
    await link.close();
    await origin.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const metricsBy = async (browser: 'chrome' | 'none', protocol: Protocol): Promise<TransactionMetrics> => {
    const spec = { engine: 'transaction', browser, workload: { requests: 15 } } as const;
    const { outcome } = (await visits.visit(`${origin.calls?.url}/delay?ms=50`, protocol, { view: 'warm', spec })).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    return (outcome as { metrics: TransactionMetrics }).metrics;
  };
  for (const protocol of protocols) {
    const [chrome, go] = [await metricsBy('chrome', protocol), await metricsBy('none', protocol)];
    t.diagnostic(`${protocol}: Chrome ${chrome.latency} ms, response ${chrome.responseTime} ms; the Go client ${go.latency} ms`);
    // What no client may do is to be faster than the server, but for the millisecond by which Chrome's two clocks differ.
    for (const { latency } of [chrome, go]) assert.ok(latency >= 49 && latency < 80, `${protocol}: ${latency} ms`);
    assert.ok(chrome.responseTime >= chrome.latency);
  }
});
