import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Feedback, type FeedbackWishes, reportToForge } from './feedback.ts';
import { madeForge } from './forges.fixture.ts';

const feedback: Feedback = {
  ...{ gate: 'pronghorn.json', comment: '### ✅ pass' },
  status: { isGood: true, words: 'pass: All 3 checks hold.', url: 'https://pronghorn.example/#/campaigns/7' },
};
const commit = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';

type Forge = Awaited<ReturnType<typeof madeForge>>;
const wishes = (kind: 'github' | 'gitlab', { apiUrl, token }: Forge, more: Partial<FeedbackWishes['forge']> = {}): FeedbackWishes => ({
  forge: { kind, apiUrl, project: kind === 'github' ? 'octo-org/shop' : '17', change: 12, commit, ...more },
  ...{ token, comment: true, status: true },
});

/** @returns what was said on standard error */
async function said(t: TestContext, tell: () => Promise<void>): Promise<string> {
  const { mock } = t.mock.method(console, 'error', () => {});
  await tell();
  mock.restore();
  return mock.calls.map(({ arguments: [words] }) => words).join('\n');
}

for (const [kind, user] of [
  ['github', null],
  ['github', 'ci-user'],
  ['gitlab', 'project_17_bot'],
] as const)
  test(`on ${kind} a change has one comment, which each run brings up to date, by ${user ?? 'the token of Actions'}`, async (t) => {
    const forge = await madeForge(t, kind, { user });
    for (let id = 1; id <= 130; id++) forge.comments.push({ id, body: 'Looks good.', by: 'octocat' });
    await reportToForge(wishes(kind, forge), feedback);
    await reportToForge(wishes(kind, forge), { ...feedback, comment: '### ❌ fail' });
    const own = forge.comments.slice(130);
    assert.deepEqual(
      own.map(({ body }) => body),
      ['<!-- pronghorn-gate pronghorn.json -->\n### ❌ fail'],
    );
    // Another gate of the pipeline has a comment of its own.
    await reportToForge(wishes(kind, forge), { ...feedback, gate: 'ci/mobile --x>.json' });
    assert.equal(forge.comments.at(-1)?.body, '<!-- pronghorn-gate ci/mobile _x_.json -->\n### ✅ pass');
    assert.equal(forge.comments.length, 132);
  });

test('a comment of somebody else that has the marker is left alone', async (t) => {
  const forge = await madeForge(t, 'github');
  forge.comments.push({ id: 1, body: '<!-- pronghorn-gate pronghorn.json -->\nAll is well.', by: 'mallory' });
  await reportToForge(wishes('github', forge), feedback);
  assert.deepEqual(
    forge.comments.map(({ by, body }) => [by, body.split('\n')[1]]),
    [
      ['mallory', 'All is well.'],
      ['github-actions[bot]', '### ✅ pass'],
    ],
  );
});

test('the status of the commit says what came of the gate, on both forges', async (t) => {
  const github = await madeForge(t, 'github');
  await reportToForge(wishes('github', github), {
    ...feedback,
    gate: 'mobile.json',
    status: { isGood: false, words: 'x'.repeat(200), url: null },
  });
  await reportToForge(wishes('github', github), feedback);
  assert.deepEqual(github.statuses, [
    { commit, body: { state: 'failure', context: 'pronghorn gate (mobile.json)', description: `${'x'.repeat(139)}…` } },
    {
      commit,
      body: {
        ...{ state: 'success', context: 'pronghorn gate', description: 'pass: All 3 checks hold.' },
        target_url: 'https://pronghorn.example/#/campaigns/7',
      },
    },
  ]);
  const gitlab = await madeForge(t, 'gitlab', { user: 'bot' });
  await reportToForge(wishes('gitlab', gitlab), { ...feedback, status: { ...feedback.status, isGood: false } });
  assert.deepEqual(
    gitlab.statuses.map(({ body }) => [body.state, body.name]),
    [['failed', 'pronghorn gate']],
  );
});

test('a push has a status and no comment', async (t) => {
  const forge = await madeForge(t, 'github');
  await reportToForge(wishes('github', forge, { change: null }), feedback);
  assert.deepEqual([forge.comments.length, forge.statuses.length], [0, 1]);
});

test('what can’t be told is said with what is missing', async (t) => {
  const forge = await madeForge(t, 'github', { refuses: 'comments' });
  const words = await said(t, () => reportToForge(wishes('github', forge), feedback));
  assert.equal(
    words,
    'pronghorn: The comment on pull request 12 could not be written: GitHub answered 403 Resource not accessible by integration. GITHUB_TOKEN needs the permissions "pull-requests: write" and "statuses: write". Pipelines of forks have neither.',
  );
  assert.equal(forge.statuses.length, 1, 'the status is set nevertheless');
  const revoked = { ...wishes('gitlab', await madeForge(t, 'gitlab', { user: 'x' })), token: 'revoked' };
  assert.match(
    await said(t, () => reportToForge(revoked, feedback)),
    /The comment on merge request 12 .* GitLab answered 401 Bad credentials\. GITLAB_TOKEN needs the scope api/,
  );
  const gone = { ...wishes('github', forge, { apiUrl: 'http://127.0.0.1:1' }) };
  assert.match(await said(t, () => reportToForge(gone, feedback)), /GitHub does not answer \(.*\)/);
  assert.match(await said(t, () => reportToForge({ ...gone, token: null }, feedback)), /the variable GITHUB_TOKEN is not set/);
  assert.match(await said(t, () => reportToForge({ ...gone, forge: null }, feedback)), /this is not a pipeline of GitHub or GitLab/);
  assert.equal(await said(t, () => reportToForge({ ...gone, forge: null, comment: false, status: false }, feedback)), '');
});

test('a report that is too long for a comment ends with a whole line', async (t) => {
  const forge = await madeForge(t, 'github');
  await reportToForge(wishes('github', forge), { ...feedback, comment: `${'| a | b |\n'.repeat(9_000)}` });
  const { body = '' } = forge.comments[0] ?? {};
  assert.ok(body.length < 65_536);
  assert.match(body, /\n\| a \| b \|\n\nThe rest is in the report, since it is too long for a comment\.\n$/);
});
