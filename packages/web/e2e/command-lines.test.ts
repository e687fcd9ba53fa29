// What the form of a new campaign offers to copy is what it says: the command is read by the command line's own options, the request is made by curl.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { CampaignRequest, KnownCondition } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { completeSpec } from '../../api/src/plugins/app/spec/campaign-spec.ts';
// By their paths: the command line stands above this package.
import { conditionWishes, requestOf } from '../../cli/src/measure/request.ts';
import { type MeasuringOptions, measuring } from '../../cli/src/options/measuring.ts';
import { withScheme } from '../../cli/src/options/values.ts';
import { curlLine, measureLine } from '../src/parts/campaign-form/command-lines.ts';
import { startService } from './service.ts';

const { Command } = createRequire(new URL('../../cli/package.json', import.meta.url))('commander') as {
  Command: new () => Parameters<typeof measuring>[0];
};
let folder = '';

const train: KnownCondition = {
  name: 'train',
  description: 'It’s “ours”: $HOME `x`',
  up: { delayMs: 40, jitter: { ms: 12, distribution: 'normal' } },
  down: { rateKbps: 12_000, loss: { model: 'gilbert-elliott', p: 0.005, r: 0.2 }, delayMs: 1 },
  ...{ preset: false, words: 'as it is', numbers: undefined as never },
};
const { preset: _preset, words: _words, numbers: _numbers, ...stored } = train;

type Complete = ReturnType<typeof completeSpec>;

/** What the command line would ask for, every choice made. */
async function specOfCommand(request: CampaignRequest): Promise<Complete> {
  const { line } = measureLine(request, [train]);
  const args = execFileSync('bash', ['-c', line], { cwd: folder, encoding: 'utf8' }).split('\0').slice(0, -1);
  const program = new Command();
  let spec: Complete | undefined;
  measuring(program.exitOverride().command('measure'))
    .argument('<url...>')
    .option('--expect-status <status>', '', Number, 200)
    .action((urls: string[], options: MeasuringOptions & { expectStatus: number }) => {
      const sites = urls.map((url) => ({ url: withScheme(url), expectStatus: options.expectStatus }));
      const files = options.condition.map((file) => join(folder, file));
      const { list } = conditionWishes({ ...options, condition: files }, ['native']);
      spec = completeSpec({ ...requestOf(options)(sites), conditions: [...list] }, 7, presets);
    });
  await program.parseAsync(args, { from: 'user' });
  assert.ok(spec);
  return spec;
}

const { presets } = await import('@pronghorn/core/network');
const specOfRequest = (request: CampaignRequest): Complete => completeSpec(request, 7, [...presets, stored]);
const site = { url: 'https://www.example.com/' };

describe('what is offered to copy', proves('dashboard-forms'), () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pronghorn-lines-'));
    // In the command's place: prints what a shell made of its line.
    writeFileSync(join(folder, 'pronghorn'), '#!/bin/sh\nprintf "%s\\0" "$@"\n');
    chmodSync(join(folder, 'pronghorn'), 0o755);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('the command asks for the same campaign', async () => {
    const requests: CampaignRequest[] = [
      { sites: [site] },
      {
        sites: [{ url: "https://a.example/it's?q=a&b=$HOME;ls" }, { url: 'https://b.example:8443/x,y' }],
        conditions: ['native', 'loss-2.rtt-50', 'poor'],
      },
      { sites: [site], conditions: ['typical', 'satellite'], precision: 'precise' },
      { sites: [site], precision: 'until-clear' },
      { sites: [{ ...site, expectStatus: 404 }], protocols: ['h2', 'h2'], rounds: 100, seed: 3, isolation: 'process' },
      {
        sites: [site],
        conditions: ['native', 'train', { name: 'slow', up: {}, down: { rateKbps: 500 } }],
        protocols: ['h2', 'h3'],
        views: ['cold', 'warm'],
        rounds: 12,
        maximumRounds: 80,
        primaryMetric: 'speedIndex',
        margin: 0.07,
        adjustment: 'benjamini-hochberg',
        discovery: 'alt-svc',
        limits: { loadTimeoutMs: 12_500, quietMs: 2_000, settleMaxMs: 30_000, foreignCpuShare: 0.35 },
      },
      { sites: [site], browser: 'headless-shell' },
      { sites: [site], engine: 'browsertime' },
      { sites: [site], engine: 'browsertime', engineOptions: { video: false, waits: 'browsertime' } },
    ];
    for (const request of requests) {
      assert.deepEqual(measureLine(request, [train]).uncovered, []);
      assert.deepEqual(await specOfCommand(request), specOfRequest(request));
    }
  });

  test('what the command has no option for is named', () => {
    const { line, uncovered } = measureLine(
      {
        sites: [{ ...site, name: 'home' }],
        name: 'mine',
        location: 'fra',
        priority: 'ci',
        annotations: { commit: 'abc' },
        isolation: 'container',
        limits: { retries: 0 },
      },
      [],
    );
    assert.equal(line, './pronghorn measure https://www.example.com/');
    assert.deepEqual(uncovered, [
      'the name',
      'names of pages',
      'a container for each visit',
      'the location',
      'the priority',
      'commit, branch and build',
      'all limits but those of time and CPU',
    ]);
  });

  test('the request to copy makes the campaign, with a token where one is needed', async () => {
    await using service = await startService({ kind: 'tokens' });
    const { token } = await service.makeToken('somebody', 'submitter');
    const request: CampaignRequest = { sites: [{ url: 'https://93.184.216.34/it%27s', name: "it's" }], protocols: ['h2', 'h3'], rounds: 7 };
    const line = curlLine(request, `${service.url}/api/v1/campaigns`, true);
    // Not synchronously: the service answers in this process.
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { env: { ...process.env, PRONGHORN_TOKEN: token } });
    const answer = JSON.parse(stdout);
    assert.deepEqual([answer.spec.rounds, answer.sites[0].name, answer.createdBy], [7, "it's", 'somebody']);
  });
});
