// The action and the component as GitHub's and GitLab's runners run them: their own scripts, in the environments that both document, against a real service.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { GateRequest } from '@pronghorn/core/schemas';
import { proves, thoroughly } from '@pronghorn/core/testing';
import { parse, parseAllDocuments } from 'yaml';
import { everywhere, gitlab, head, madeForge, onMain, onMerge, pullRequest, repository, request } from '../src/gate/forges.fixture.ts';
import { bundledGate } from '../src/gate-bundle.ts';
import { main, startProgram } from './command.ts';
import { madeService } from './made-service.ts';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-pipelines-'));
/** What a release of the action holds. */
const release = join(folder, 'action');
before(async () => void (await bundledGate(join(release, 'packages/cli/dist/gate'))));
after(() => rmSync(folder, { recursive: true, force: true }));

const action = parse(readFileSync(join(root, 'action.yml'), 'utf8'));
const [spec, component] = parseAllDocuments(readFileSync(join(root, 'templates/gate/template.yml'), 'utf8')).map((document) =>
  document.toJS(),
);

/** A checkout with a gate's file. */
function checkout(max: string): string {
  const workspace = mkdtempSync(join(folder, 'work-'));
  mkdirSync(join(workspace, 'temp'));
  const file = {
    sites: [{ name: 'shop', url: 'https://staging.example/' }],
    protocols: ['h3'],
    rounds: 12,
    assertions: [`onLoad p75 <= ${max}`],
  };
  writeFileSync(join(workspace, 'pronghorn.json'), JSON.stringify(file, null, 2));
  return workspace;
}

interface Event {
  name: string;
  payload?: object;
  variables?: Record<string, string>;
}

/** Runs the steps of action.yml as a hosted runner does. */
async function runAction(
  t: TestContext,
  event: Event,
  inputs: Record<string, string>,
  { max = '1 s', github = '', path = release, gate }: { max?: string; github?: string; path?: string; gate?: GateRequest } = {},
) {
  const service = await madeService(t, 500);
  if (gate !== undefined) await service.store(gate);
  const workspace = checkout(max);
  const at = (name: string) => join(workspace, 'temp', name);
  writeFileSync(at('event.json'), JSON.stringify({ repository, ...event.payload }));
  const given: Record<string, string> = { api: service.url, token: 'prg_x', 'github-token': 'ghs_actions', ...inputs };
  const known: Record<string, { default?: string }> = action.inputs;
  for (const name of Object.keys(given)) assert.ok(name in known, `the action has no input ${name}`);
  const evaluated = (text: string) =>
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => given[name] ?? known[name]?.default ?? '');
  const [step, ...others] = action.runs.steps;
  assert.deepEqual([action.runs.using, step.shell, others.length], ['composite', 'bash', 0]);
  const script = at('step.sh');
  writeFileSync(script, step.run);
  const { code, stdout, stderr } = await startProgram(
    'bash',
    [
      '--noprofile',
      '--norc',
      '-e',
      '-o',
      'pipefail',
      '-c',
      `cd "$1" && . "$2"`,
      'bash',
      join(workspace, evaluated(step['working-directory'])),
      script,
    ],
    {
      ...{ ...everywhere, ...onMain, ...event.variables, GITHUB_EVENT_NAME: event.name, GITHUB_EVENT_PATH: at('event.json') },
      ...{ GITHUB_ACTION_PATH: path, GITHUB_OUTPUT: at('output'), GITHUB_STEP_SUMMARY: at('summary'), RUNNER_TEMP: at('') },
      ...(github === '' ? {} : { GITHUB_API_URL: github }),
      ...Object.fromEntries(Object.entries(step.env as Record<string, string>).map(([name, text]) => [name, evaluated(text)])),
    },
  ).ended;
  const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
  const outputs: Record<string, string> = Object.fromEntries(
    read('output')
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const campaign = outputs.campaign ? await service.campaign(outputs.campaign) : undefined;
  return { code, stdout, stderr, outputs, summary: read('summary'), campaign, service };
}

test('the action of a push gates the page, and tells the steps behind', proves('gates'), async (t) => {
  const { code, stderr, outputs, summary, campaign, service } = await runAction(t, { name: 'push' }, { 'exit-on': 'pass=0' });
  assert.equal(code, 0, stderr);
  assert.deepEqual([outputs.outcome, outputs.campaign, outputs.report], ['pass', '1', `${service.url}/#/campaigns/1`]);
  assert.deepEqual(campaign.annotations, { ...{ commit: head, branch: 'main', event: 'push' }, buildUrl: campaign.annotations.buildUrl });
  assert.equal(JSON.parse(readFileSync(outputs.json ?? '', 'utf8')).outcome, 'pass');
  assert.match(readFileSync(outputs.junit ?? '', 'utf8'), /<testsuites /);
  assert.match(summary, /^### ✅ pass: shop/);
  const declared = Object.entries(action.outputs as Record<string, { value: string }>);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's
  for (const [name, { value }] of declared) assert.equal(value, '${{ steps.gate.outputs.NAME }}'.replace('NAME', name));
  assert.deepEqual(Object.keys(outputs).sort(), declared.map(([name]) => name).sort());
});

test('the action of a pull request measures its preview, fails, and comments on it', proves('gates'), async (t) => {
  const github = await madeForge(t, 'github');
  const event = { name: 'pull_request', payload: pullRequest('octo-org/shop', 'faster'), variables: onMerge('faster') };
  const { code, outputs, campaign } = await runAction(
    t,
    event,
    { url: 'https://pr-12.example/\nhttps://pr-12.example/pricing\n', status: 'true', baseline: 'release' },
    { max: '100 ms', github: github.apiUrl },
  );
  assert.deepEqual([code, outputs.outcome], [1, 'fail']);
  const { buildUrl: _, ...annotations } = campaign.annotations;
  assert.deepEqual(annotations, { commit: head, branch: 'faster', event: 'pull-request', pullRequest: 12 });
  assert.deepEqual(
    campaign.sites.map(({ url }: { url: string }) => url),
    ['https://pr-12.example/', 'https://pr-12.example/pricing'],
  );
  assert.match(github.comments[0]?.body ?? '', /^<!-- pronghorn-gate pronghorn\.json -->\n### ❌ fail: shop/);
  assert.deepEqual(
    github.statuses.map(({ commit, body }) => [commit, body.state]),
    [[head, 'failure']],
  );
});

const stored = {
  name: 'shop budget',
  campaign: { sites: [{ name: 'shop', url: 'https://staging.example/' }], protocols: ['h3' as const], rounds: 12 },
  rules: { assertions: ['onLoad p75 <= 100 ms'] },
};

test('the action asks a stored gate in place of the file, and comments by its name', thoroughly('gates'), async (t) => {
  const github = await madeForge(t, 'github');
  const event = { name: 'pull_request', payload: pullRequest('octo-org/shop', 'faster'), variables: onMerge('faster') };
  const { code, outputs, campaign } = await runAction(
    t,
    event,
    { gate: stored.name, status: 'true' },
    { github: github.apiUrl, gate: stored },
  );
  assert.deepEqual([code, outputs.outcome, campaign.sites[0].url], [1, 'fail', 'https://staging.example/']);
  assert.match(github.comments[0]?.body ?? '', /^<!-- pronghorn-gate shop budget -->\n### ❌ fail: shop/);
  assert.equal(github.statuses[0]?.body.context, 'pronghorn gate (shop budget)');
});

test('a comment that GitHub refuses, as to the token of a fork, changes nothing of the gate', thoroughly('gates'), async (t) => {
  const github = await madeForge(t, 'github', { refuses: 'comments' });
  const event = { name: 'pull_request', payload: pullRequest('octocat/shop', 'main'), variables: onMerge('main') };
  const { code, stderr, campaign } = await runAction(t, event, {}, { github: github.apiUrl });
  assert.equal(code, 0);
  assert.match(stderr, /The comment on pull request 12 could not be written: GitHub answered 403/);
  assert.equal(campaign.annotations.branch, 'octocat:main');
});

test('the action says nothing was decided where the service is no Pronghorn', thoroughly('gates'), async (t) => {
  const { url } = await madeService(t, 500);
  const { code, outputs } = await runAction(t, { name: 'push' }, { api: `${url}/elsewhere` });
  assert.notEqual(code, 0);
  assert.deepEqual(Object.keys(outputs).includes('campaign') && outputs.campaign !== '', false);
});

test('on a branch without a bundle the action takes the launcher', thoroughly('gates'), async (t) => {
  const path = join(folder, 'branch');
  mkdirSync(path);
  // Without what it brings first.
  writeFileSync(join(path, 'pronghorn'), `#!/bin/sh\nexec node "${main}" "$@"\n`, { mode: 0o755 });
  const { code, stderr, outputs } = await runAction(t, { name: 'push' }, {}, { path });
  assert.deepEqual([code, outputs.outcome], [0, 'pass'], stderr);
});

/** Runs the component's job as GitLab's runner does. */
async function runComponent(
  t: TestContext,
  variables: Record<string, string>,
  {
    max = '1 s',
    forge = '',
    inputs = {},
    gate,
  }: { max?: string; forge?: string; inputs?: Record<string, string>; gate?: GateRequest } = {},
) {
  const service = await madeService(t, 500);
  if (gate !== undefined) await service.store(gate);
  const given: Record<string, string> = {
    image: 'registry.example/pronghorn/gate:1.0.0-rc.1',
    api: service.url,
    url: 'https://$CI_COMMIT_REF_SLUG.example/',
    ...inputs,
  };
  const known: Record<string, { default?: string }> = spec.spec.inputs;
  const text = JSON.stringify(component).replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
    assert.ok(name in known, `the component has no input ${name}`);
    return given[name] ?? known[name]?.default ?? assert.fail(`${name} is not given, and has no default`);
  });
  const [[name, job]] = Object.entries(JSON.parse(text)) as unknown as [[string, typeof component]];
  const workspace = checkout(max);
  const environment: Record<string, string> = { ...variables, ...(forge === '' ? {} : { CI_API_V4_URL: forge }) };
  // GitLab's own: variables in variables, and in the environment's address, which CI_ENVIRONMENT_URL then has.
  const expanded = (value: string) => value.replace(/\$(\w+)/g, (_, variable: string) => environment[variable] ?? '');
  for (const [variable, value] of Object.entries(job.variables as Record<string, string>)) environment[variable] = expanded(value);
  environment.CI_ENVIRONMENT_URL = expanded(job.environment.url);
  const bin = join(release, 'packages/cli/dist/gate');
  if (!existsSync(join(bin, 'pronghorn-gate')))
    writeFileSync(join(bin, 'pronghorn-gate'), `#!/bin/sh\nexec node "${bin}/pronghorn-gate.mjs" "$@"\n`, { mode: 0o755 });
  const { code, stdout, stderr } = await startProgram('sh', ['-e', '-c', `cd "$1"; ${job.script.join('\n')}`, 'sh', workspace], {
    ...environment,
    ...{ PRONGHORN_TOKEN: 'prg_x', PATH: `${bin}${delimiter}${process.env.PATH}` },
  }).ended;
  return {
    code,
    stdout,
    stderr,
    name,
    job,
    campaign: await service.campaign('1'),
    read: (file: string) => readFileSync(join(workspace, file), 'utf8'),
  };
}

const slug = { CI_COMMIT_REF_SLUG: 'faster' };
const onDefault = {
  ...gitlab,
  CI_PIPELINE_SOURCE: 'push',
  CI_COMMIT_REF_NAME: 'main',
  CI_COMMIT_BRANCH: 'main',
  CI_COMMIT_REF_SLUG: 'main',
};

test('the component gates the page of its environment, with reports for GitLab', proves('gates'), async (t) => {
  const { code, stderr, name, job, campaign, read } = await runComponent(t, onDefault);
  assert.equal(code, 0, stderr);
  assert.deepEqual([name, job.stage, job.image.entrypoint], ['pronghorn-gate', 'test', ['']]);
  assert.equal(campaign.sites[0].url, 'https://main.example/');
  assert.deepEqual(campaign.annotations, { commit: head, branch: 'main', event: 'push', buildUrl: gitlab.CI_JOB_URL });
  assert.deepEqual(JSON.parse(read(job.artifacts.reports.codequality)), []);
  assert.match(read(job.artifacts.reports.junit), /<testsuites /);
  for (const path of job.artifacts.paths) assert.notEqual(read(path), '', path);
});

test('the component of a merge request comments where the project has a token for that', proves('gates'), async (t) => {
  const forge = await madeForge(t, 'gitlab', { user: 'project_17_bot' });
  const { code, stderr, campaign, read } = await runComponent(
    t,
    { ...request, ...slug, GITLAB_TOKEN: 'pat' },
    { max: '100 ms', forge: forge.apiUrl },
  );
  assert.equal(code, 1, stderr);
  assert.match(forge.comments[0]?.body ?? '', /### ❌ fail: shop/);
  assert.deepEqual(
    [campaign.annotations.event, campaign.annotations.pullRequest, campaign.annotations.branch],
    ['pull-request', 12, 'faster'],
  );
  const [issue] = JSON.parse(read('gl-code-quality-report.json'));
  const { path, lines } = issue.location;
  assert.deepEqual([path, read(path).split('\n')[lines.begin - 1]?.trim()], ['pronghorn.json', '"onLoad p75 <= 100 ms"']);
});

test('the component of a merge request without a token comments nowhere, and misses nothing', thoroughly('gates'), async (t) => {
  const { code, stderr } = await runComponent(t, { ...request, ...slug });
  assert.deepEqual([code, stderr.includes('comment')], [0, false]);
});

test('the component asks a stored gate: of the page of its environment, or as it is stored', thoroughly('gates'), async (t) => {
  const previewed = await runComponent(t, onDefault, { gate: stored, inputs: { gate: stored.name } });
  assert.deepEqual([previewed.code, previewed.campaign.sites[0].url], [1, 'https://main.example/'], previewed.stderr);
  const { code, stderr, campaign, read } = await runComponent(t, onDefault, { gate: stored, inputs: { gate: stored.name, url: '' } });
  assert.deepEqual([code, campaign.sites[0].url], [1, 'https://staging.example/'], stderr);
  const [issue] = JSON.parse(read('gl-code-quality-report.json'));
  assert.deepEqual(issue.location, { path: 'shop budget', lines: { begin: 1 } });
});

test('the examples of docs/gates.md name inputs that there are, and all that are needed', proves('gates'), () => {
  const examples = [...readFileSync(join(root, 'docs/gates.md'), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) =>
    parse(text),
  );
  const workflow = examples.find((one) => one.jobs !== undefined);
  const { with: given } = workflow.jobs.gate.steps.find(({ id }: { id?: string }) => id === 'gate');
  const wanted = Object.entries(action.inputs as Record<string, { required?: boolean }>).filter(([, { required }]) => required === true);
  const namesOf = (of: object) => Object.keys(of);
  for (const name of namesOf(given)) assert.ok(namesOf(action.inputs).includes(name), name);
  for (const [name] of wanted) assert.ok(namesOf(given).includes(name), name);
  assert.ok(workflow.jobs.gate['timeout-minutes'] > 2 * Number(action.inputs.wait.default), 'the job outlives the waiting for two runs');
  const { inputs } = examples.find((one) => one.include !== undefined).include[0];
  const { inputs: known } = spec.spec as { inputs: Record<string, { default?: string }> };
  for (const name of namesOf(inputs)) assert.ok(name in known, name);
  for (const [name, { default: usual }] of Object.entries(known)) assert.ok(usual !== undefined || name in inputs, name);
});
