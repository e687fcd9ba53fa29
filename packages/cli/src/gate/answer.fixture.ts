// An answer for the tests of reports, with names that no report may take at their word.
import type { Campaign, GateCheck, GateResult } from '@pronghorn/core/schemas';
import { madeSpec } from '../../../core/fixtures/made-campaign.ts';
import { defaultExitCodes, type Reported } from './reported.ts';

/** Breaks tables, HTML, Markdown, XML and terminals, and calls people. */
export const hostile = '<img src=x onerror=alert(1)> | `a` **b** [c](javascript:d) & "e" \'f\' ]]> @team #1 \u001b[31m\u0000\n\ng';

export function madeUpAnswer(given: Partial<GateCheck>[] = [{}], name = 'shop'): Reported {
  const spec = madeSpec({
    ...{ name, conditions: [{ name: '4g', up: {}, down: {} }] },
    ...{ protocols: ['h3'], rounds: 20 },
  });
  const campaign: Campaign = {
    ...{
      id: '7',
      createdAt: '2026-03-01T12:00:00.000Z',
      finishedAt: '2026-03-01T12:10:00.000Z',
      createdBy: null,
      createdByKind: null,
      priority: 'ci',
      location: null,
    },
    annotations: { commit: '0123456789abcdef', branch: name, buildUrl: 'https://ci.example/7' },
    ...{ state: 'done', spec, sites: [{ id: '1', url: 'https://shop.example/', name, expectStatus: 200 }] },
    progress: { rounds: 20, roundsDone: 20, visitsValid: 20, visitsInvalid: 0 },
  };
  const checks = given.map(
    (check): GateCheck => ({
      ...{
        assertion: 0,
        words: 'onLoad p75 over HTTP/3 is 900 ms.',
        outcome: 'pass',
        siteId: '1',
        condition: '4g',
        view: 'cold',
        protocol: 'h3',
      },
      ...{ metric: 'onLoad', value: 900, low: 850, high: 950, max: 1000, min: null, rounds: 20, pPass: 0.01, pFail: 1, reasons: [] },
      failures: { failed: 0, loads: 20, share: 0, low: 0, high: 0.17 },
      ...{ caution: null, moreRounds: null },
      ...check,
    }),
  );
  const counts = { pass: 0, fail: 0, inconclusive: 0, unmeasured: 0 };
  for (const { outcome } of checks) counts[outcome] += 1;
  const outcome = (['fail', 'unmeasured', 'inconclusive'] as const).find((one) => counts[one] > 0) ?? 'pass';
  const result: GateResult = {
    ...{ campaignId: '7', state: 'done', outcome, words: 'What came of it.', decide: 'interval', confidence: 0.95, counts, checks },
    assertions: ['onLoad p75 h3 <= 1000 ms'],
    baseline: {
      branch: 'main',
      campaigns: [{ campaignId: '5', createdAt: campaign.createdAt, commit: 'abcdef0123456789' }],
      otherRun: null,
    },
  };
  return {
    campaign,
    result,
    exitCodes: defaultExitCodes,
    source: { file: 'pronghorn.json' },
    url: 'https://pronghorn.example/#/campaigns/7',
  };
}
