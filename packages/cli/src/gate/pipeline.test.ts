import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildUrl, everywhere, gitlab, head, merge, onMain, onMerge, pullRequest, repository, request } from './forges.fixture.ts';
import { pipelineOf } from './pipeline.ts';

/** Of a run of GitHub's that was made by this event. */
function github(t: TestContext, name: string, payload: object, variables: Record<string, string> = onMain) {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-event-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'event.json');
  writeFileSync(file, JSON.stringify({ repository, ...payload }));
  return pipelineOf({ ...everywhere, ...variables, GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: file });
}

test('of a pull request on GitHub commit and branch are its own, not those of the merge', (t) => {
  const { annotations, forge } = github(t, 'pull_request', pullRequest('octo-org/shop', 'faster'), onMerge('faster'));
  assert.deepEqual(annotations, { commit: head, branch: 'faster', event: 'pull-request', pullRequest: 12, buildUrl });
  assert.deepEqual(forge, { kind: 'github', apiUrl: 'https://api.github.com', project: 'octo-org/shop', change: 12, commit: head });
});

test('a fork’s main is not main', (t) => {
  for (const [name, repo, variables] of [
    ['pull_request', 'octocat/shop', onMerge('main')],
    ['pull_request', null, onMerge('main')], // the fork is gone
    ['pull_request_target', 'octocat/shop', { ...onMain, GITHUB_SHA: merge, GITHUB_HEAD_REF: 'main', GITHUB_BASE_REF: 'main' }],
  ] as const) {
    const { annotations } = github(t, name, pullRequest(repo, 'main'), variables);
    assert.deepEqual(annotations, { commit: head, branch: 'octocat:main', event: 'pull-request', pullRequest: 12, buildUrl }, name);
  }
  // What runs after the pipeline of a fork has the default branch in its environment.
  const run = {
    event: 'pull_request',
    head_sha: head,
    head_branch: 'main',
    head_repository: { full_name: 'octocat/shop' },
    pull_requests: [],
  };
  const { annotations } = github(t, 'workflow_run', { workflow_run: run }, { ...onMain, GITHUB_SHA: merge });
  assert.deepEqual(annotations, { commit: head, branch: 'octocat:main', event: 'pull-request', buildUrl });
});

test('without its payload a pull request has no commit rather than the one of its merge', () => {
  const { annotations } = pipelineOf({
    ...everywhere,
    ...onMerge('faster'),
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: '/nowhere',
  });
  assert.deepEqual(annotations, { branch: 'faster', event: 'pull-request', pullRequest: 12, buildUrl });
});

test('a comment on a pull request is not taken for main, with whose commit it runs', (t) => {
  const { annotations } = github(t, 'issue_comment', { issue: { number: 12, pull_request: { url: 'https://api.github.com/…' } } });
  assert.deepEqual(annotations, { event: 'pull-request', pullRequest: 12, buildUrl });
});

test('null in a payload is nothing', (t) => {
  const { annotations } = github(t, 'push', { pull_request: null, workflow_run: null, issue: null });
  assert.deepEqual(annotations, github(t, 'push', {}).annotations);
});

test('what else made a run on GitHub is told', (t) => {
  const of = (...given: [string, object, Record<string, string>?]) => {
    const { buildUrl: _, ...rest } = github(t, ...given).annotations;
    return rest;
  };
  const main = { commit: head, branch: 'main' };
  assert.deepEqual(of('push', { ref: 'refs/heads/main', after: head }), { ...main, event: 'push' });
  assert.deepEqual(of('workflow_dispatch', { inputs: {} }), { ...main, event: 'manual' });
  assert.deepEqual(of('schedule', { schedule: '30 2 * * *' }), { ...main, event: 'schedule' });
  const queue = 'gh-readonly-queue/main/pr-12-a';
  assert.deepEqual(
    of(
      'merge_group',
      { action: 'checks_requested', merge_group: { head_sha: merge, head_ref: `refs/heads/${queue}`, base_ref: 'refs/heads/main' } },
      { ...onMain, GITHUB_SHA: merge, GITHUB_REF: `refs/heads/${queue}`, GITHUB_REF_NAME: queue },
    ),
    { commit: merge, branch: queue, event: 'merge-queue' },
  );
  const tag = { GITHUB_SHA: head, GITHUB_REF: 'refs/tags/main', GITHUB_REF_NAME: 'main', GITHUB_REF_TYPE: 'tag' };
  assert.deepEqual(of('push', { ref: 'refs/tags/main' }, tag), { commit: head, event: 'tag' });
  const deployed = { deployment: { sha: head, ref: 'faster' } };
  assert.deepEqual(of('deployment_status', deployed, { GITHUB_SHA: head, GITHUB_REF: '', GITHUB_REF_NAME: '' }), {
    ...{ commit: head, branch: 'faster', event: 'deployment' },
  });
  // Main has a pull request too, into a branch of releases: what was pushed to it is still main's.
  const run = { event: 'push', head_sha: head, head_branch: 'main', head_repository: repository, pull_requests: [{ number: 9 }] };
  assert.deepEqual(of('workflow_run', { workflow_run: run }), { ...main, event: 'push' });
});

test('of a merge request on GitLab commit and branch are its own', () => {
  const of = (variables: Record<string, string>) => {
    const { annotations, forge } = pipelineOf({ ...request, ...variables });
    const { buildUrl: _, ...rest } = annotations;
    return { ...rest, to: forge && [forge.project, forge.change] };
  };
  const its = { commit: head, branch: 'faster', event: 'pull-request', pullRequest: 12, to: ['17', 12] };
  assert.deepEqual(of({ CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '' }), its);
  assert.deepEqual(
    of({ CI_COMMIT_SHA: merge, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head, CI_MERGE_REQUEST_EVENT_TYPE: 'merged_result' }),
    its,
  );
  const fork = { CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'octocat/web', CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'main', CI_PROJECT_ID: '99' };
  assert.deepEqual(of(fork), { ...its, branch: 'octocat/web:main' });
  const train = { CI_COMMIT_SHA: merge, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head, CI_MERGE_REQUEST_EVENT_TYPE: 'merge_train' };
  assert.deepEqual(of(train), { ...its, event: 'merge-queue' });
});

test('what else made a pipeline on GitLab is told', () => {
  const of = (variables: Record<string, string>) => {
    const { buildUrl: _, ...rest } = pipelineOf({ ...gitlab, ...variables }).annotations;
    return rest;
  };
  const main = { CI_COMMIT_REF_NAME: 'main', CI_COMMIT_BRANCH: 'main' };
  for (const [source, event] of [
    ['push', 'push'],
    ['schedule', 'schedule'],
    ['web', 'manual'],
  ] as const)
    assert.deepEqual(of({ ...main, CI_PIPELINE_SOURCE: source }), { commit: head, branch: 'main', event });
  assert.deepEqual(of({ ...main, CI_PIPELINE_SOURCE: 'trigger' }), { commit: head, branch: 'main' });
  const tag = { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_TAG: 'main', CI_COMMIT_REF_NAME: 'main' };
  assert.deepEqual(of(tag), { commit: head, event: 'tag' });
  // A repository that is on GitHub: its pull request is no merge request here.
  const outside = {
    ...{
      CI_PIPELINE_SOURCE: 'external_pull_request_event',
      CI_EXTERNAL_PULL_REQUEST_IID: '3',
      CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME: 'main',
    },
    ...{ CI_EXTERNAL_PULL_REQUEST_SOURCE_REPOSITORY: 'octocat/shop', CI_EXTERNAL_PULL_REQUEST_TARGET_REPOSITORY: 'octo-org/shop' },
  };
  assert.deepEqual(of(outside), { commit: head, branch: 'octocat/shop:main', event: 'pull-request', pullRequest: 3 });
  assert.equal(pipelineOf({ ...gitlab, ...outside }).forge?.change, null);
});

test('elsewhere nothing is known', () => {
  assert.deepEqual(pipelineOf({ CI_JOB_URL: 'ftp://x' }), { annotations: {}, forge: null });
  assert.equal(pipelineOf({ ...gitlab, CI_COMMIT_REF_NAME: 'x'.repeat(300) }).annotations.branch?.length, 200);
});
