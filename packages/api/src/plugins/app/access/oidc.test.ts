import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type OidcRule, problemType, type Token } from '@pronghorn/core/schemas';
import type { JWTPayload } from 'jose';
import { type TestIssuer, testIssuer } from '../../../testing/issuer.ts';
import { type Asking, type TokenApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

const audience = 'https://pronghorn.example';
/** The tests' clock. */
const seconds = Date.parse('2026-03-01T12:00:00Z') / 1_000;
const lasting = { iat: seconds, nbf: seconds - 600, exp: seconds + 300 };

/** As GitHub documents what a job of a push says. */
const githubJob = ({ url }: TestIssuer): JWTPayload => ({
  ...{ jti: 'c1b2', sub: 'repo:acme/shop:ref:refs/heads/main', aud: audience, iss: url, ...lasting },
  ...{ ref: 'refs/heads/main', ref_type: 'branch', ref_protected: 'true', sha: '8fe1b3', head_ref: '', base_ref: '', event_name: 'push' },
  ...{
    repository: 'acme/shop',
    repository_id: '74',
    repository_owner: 'acme',
    repository_owner_id: '65',
    repository_visibility: 'private',
  },
  ...{ actor: 'octocat', actor_id: '12', run_id: '1000', run_number: '10', run_attempt: '2', runner_environment: 'github-hosted' },
  ...{ workflow: 'speed', job_workflow_ref: 'acme/shop/.github/workflows/speed.yml@refs/heads/main' },
});
/** Of a fork's pull request. */
const forksJob = (issuer: TestIssuer): JWTPayload => ({
  ...{
    ...githubJob(issuer),
    sub: 'repo:acme/shop:pull_request',
    ref: 'refs/pull/7/merge',
    event_name: 'pull_request',
    ref_protected: 'false',
  },
  ...{ head_ref: 'main', base_ref: 'main', actor: 'stranger' },
});
/** As GitLab documents it. */
const gitlabJob = ({ url }: TestIssuer): JWTPayload => ({
  ...{ jti: 'c1b3', sub: 'project_path:acme/shop:ref_type:branch:ref:main', aud: audience, iss: url, ...lasting },
  ...{ namespace_id: '72', namespace_path: 'acme', project_id: '20', project_path: 'acme/shop', user_id: '1', user_login: 'sample' },
  ...{ pipeline_id: '574', pipeline_source: 'push', job_id: '302', ref: 'main', ref_type: 'branch', ref_path: 'refs/heads/main' },
  ...{ ref_protected: 'true', runner_id: 1, runner_environment: 'self-hosted', sha: '714a', groups_direct: ['acme', 'acme/web'] },
});

const githubRule = ({ url }: TestIssuer, rule: Partial<OidcRule> = {}): OidcRule => ({
  ...{ name: 'shop at GitHub', issuer: url, audience, role: 'submitter' },
  ...{ claims: { repository: 'acme/shop', ref: 'refs/heads/*' }, ...rule },
});

async function service(t: TestContext, rule: Partial<OidcRule> = {}, others: OidcRule[] = []) {
  const issuer = await testIssuer(t);
  const api = await tokenApi(t, { oidc: [githubRule(issuer, rule), ...others], rateLimits: { failedSignIns: 1_000 } });
  return { issuer, api, ...asking(api) };
}
function asking(api: Pick<TokenApi, 'ask'>) {
  const as = (jwt: string, method = 'GET', path = '/campaigns', given: Asking = {}) =>
    api.ask(null, method, path, { ...given, headers: { ...given.headers, authorization: `Bearer ${jwt}` } });
  /** @returns the words. */
  async function refused(jwt: string): Promise<string> {
    const { status, headers, body } = await as(jwt);
    assert.deepEqual([status, body.type], [401, problemType('unauthenticated')], JSON.stringify(body));
    assert.equal(headers['www-authenticate'], 'Bearer realm="pronghorn", error="invalid_token"');
    assert.ok(!JSON.stringify(body).includes(jwt.split('.')[1] ?? ''), 'the token is in the answer');
    return body.detail;
  }
  return { as, refused };
}
const rowOf = (api: TokenApi, name: string): Token => api.app.tables.tokens.findByName(name) as Token;
const campaign = { sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 };

test('a job of GitHub is the token of its rule, by name, role and use', async (t) => {
  const { issuer, api, as } = await service(t);
  assert.equal(rowOf(api, 'shop at GitHub').lastUsedAt, null);
  const made = await as(await issuer.sign(githubJob(issuer)), 'POST', '/campaigns', { payload: campaign });
  assert.deepEqual([made.status, made.body.createdBy], [201, 'shop at GitHub']);
  const { role, issuer: by, lastUsedAt, scope } = rowOf(api, 'shop at GitHub');
  assert.deepEqual([role, by, lastUsedAt, scope], ['submitter', issuer.url, '2026-03-01T12:00:00.000Z', null]);
  assert.equal((await as(await issuer.sign(githubJob(issuer)), 'GET', '/tokens')).status, 403);
  const { items } = (await api.ask('admin', 'GET', '/audit')).body;
  assert.deepEqual(
    items.slice(0, 2).map(({ by: who, action }: Record<string, string>) => [who, action]),
    [
      ['shop at GitHub', 'campaign.create'],
      [null, 'token.create'],
    ],
  );
});

test('a job of GitLab is so too, by texts, numbers and lists', async (t) => {
  const issuer = await testIssuer(t);
  const rule = githubRule(issuer, {
    name: 'shop at GitLab',
    claims: { project_path: 'acme/*', ref_protected: 'true', runner_id: '1', groups_direct: 'acme/web' },
  });
  const { as, refused } = asking(await tokenApi(t, { oidc: [rule] }));
  assert.equal((await as(await issuer.sign(gitlabJob(issuer)))).status, 200);
  assert.match(await refused(await issuer.sign({ ...gitlabJob(issuer), ref_protected: 'false' })), /ref_protected "false"/);
  assert.match(await refused(await issuer.sign({ ...gitlabJob(issuer), groups_direct: ['acme'] })), /groups_direct \["acme"\]/);
});

test('a job that no rule fits is told which claims it has', async (t) => {
  const { issuer, refused } = await service(t);
  assert.equal(
    await refused(await issuer.sign({ ...githubJob(issuer), repository: 'stranger/shop', sub: 'repo:stranger/shop:ref:refs/heads/main' })),
    'No rule of this service (access.oidc) fits the job: repository "stranger/shop", ref "refs/heads/main", sub "repo:stranger/shop:ref:refs/heads/main".',
  );
  assert.match(await refused(await issuer.sign(forksJob(issuer))), /ref "refs\/pull\/7\/merge", sub "repo:acme\/shop:pull_request"\.$/);
  const { repository: _, ...nowhere } = githubJob(issuer);
  assert.match(await refused(await issuer.sign(nowhere)), /repository is missing, ref /);
  for (const odd of [{ repository: { toString: 'acme/shop' } }, { repository: null }, { repository: 'x'.repeat(1_000) }])
    assert.match(await refused(await issuer.sign({ ...githubJob(issuer), ...odd })), /^No rule .{0,400}$/);
});

test('the first rule that fits a job decides, and one that was revoked lets nobody else in', async (t) => {
  const issuer = await testIssuer(t);
  const rules = [
    githubRule(issuer, { name: 'main', claims: { repository: 'acme/shop', ref: 'refs/heads/main' } }),
    githubRule(issuer, { name: 'any', role: 'viewer' }),
  ];
  const folder = testFolder(t);
  const database = join(folder, 'pronghorn.db');
  const api = await tokenApi(t, { oidc: rules }, { database });
  const { as, refused } = asking(api);
  const jwt = await issuer.sign(githubJob(issuer));
  assert.equal((await as(jwt, 'GET', '/session')).body.name, 'main');
  assert.equal((await as(await issuer.sign({ ...githubJob(issuer), ref: 'refs/heads/x' }), 'GET', '/session')).body.name, 'any');
  const { id } = rowOf(api, 'main');
  assert.equal((await api.ask('admin', 'DELETE', `/tokens/${id}`)).status, 200);
  assert.equal(await refused(jwt), 'The rule "main" (access.oidc), which fits the job, was revoked.');
  await api.app.close();

  const again = await restarted(t, database, rules);
  assert.match(await again.refused(jwt), /was revoked/, 'a restart opens no rule that was shut');
  assert.equal(again.api.app.tables.tokens.page({ limit: 100, cursor: null }).items.filter(({ issuer: by }) => by !== null).length, 2);
});

/** Another process on the same database. */
async function restarted(t: TestContext, database: string, oidc: readonly OidcRule[]) {
  const api = await testApi(t, { database, access: { kind: 'tokens', lookUp: async () => [], oidc } });
  const ask = async (_: unknown, method: string, path: string, { headers = {} }: Asking = {}) => {
    const reply = await api.app.inject({ method: method as 'GET', url: `/api/v1${path}`, headers });
    return { status: reply.statusCode, headers: reply.headers, cookies: reply.cookies, body: reply.json() };
  };
  return { api, ...asking({ ask }) };
}

test('a rule that was changed is the same token with another role and scope', async (t) => {
  const issuer = await testIssuer(t);
  const database = join(testFolder(t), 'pronghorn.db');
  const first = await tokenApi(t, { oidc: [githubRule(issuer)] }, { database });
  const { id } = rowOf(first, 'shop at GitHub');
  await first.app.close();
  const scope = { hosts: ['*.shop.example'] };
  const { api } = await restarted(t, database, [githubRule(issuer, { scope })]);
  const row = api.app.tables.tokens.findByName('shop at GitHub');
  assert.deepEqual([row?.id, row?.scope], [id, scope]);
});

test('a token for others, too old, too new or without an end is refused in words', async (t) => {
  const { issuer, refused, as } = await service(t);
  const but = (claims: JWTPayload) => issuer.sign({ ...githubJob(issuer), ...claims });
  assert.equal(
    await refused(await but({ aud: 'https://other.example' })),
    'The job\'s token is for audience "https://other.example"; expected "https://pronghorn.example".',
  );
  assert.match(await refused(await but({ aud: `${audience}/` })), /is for audience/);
  assert.match(await refused(await but({ exp: seconds - 31 })), /ended at 2026-03-01T11:59:29\.000Z\. Ask the forge for another\.$/);
  assert.match(await refused(await but({ nbf: seconds + 31 })), /begins to be valid at 2026-03-01T12:00:31\.000Z, which is not yet\.$/);
  const { exp: _, ...endless } = githubJob(issuer);
  assert.equal(await refused(await issuer.sign(endless)), "The job's token has no valid exp.");
  assert.match(
    await refused(await but({ iss: 'https://evil.example' })),
    /is of issuer "https:\/\/evil\.example", from which this service takes none/,
  );
  // The clocks may differ a little.
  for (const claims of [{ exp: seconds - 29 }, { nbf: seconds + 29 }]) assert.equal((await as(await but(claims))).status, 200);
});

test('what the issuer did not sign is refused: no algorithm, its public key as a secret, a key of nobody, another’s key', async (t) => {
  const { issuer, refused } = await service(t);
  const job = githubJob(issuer);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  assert.match(
    await refused(`${part({ alg: 'none', typ: 'JWT' })}.${part(job)}.`),
    /not signed by an algorithm that is taken here: RS256, /,
  );
  const secret = new TextEncoder().encode(await issuer.publicPem());
  assert.match(
    await refused(await issuer.sign(job, { header: { alg: 'HS256', kid: 'key-1' }, key: secret })),
    /not signed by an algorithm/,
  );
  const unknown = await issuer.sign(job, { header: { alg: 'RS256', kid: 'key-9' } });
  assert.equal(await refused(unknown), "The job's token is signed by a key that its issuer does not have.");
  const evil = await testIssuer(t);
  assert.equal(await refused(await evil.sign(job)), "The signature of the job's token is wrong.");
  const [head, , signature] = (await issuer.sign(job)).split('.');
  assert.equal(
    await refused([head, part({ ...job, repository: 'acme/shop2' }), signature].join('.')),
    "The signature of the job's token is wrong.",
  );
  for (const broken of ['eyJ.e30.x', 'ey.ey.', `${head}.${part([])}.${signature}`]) assert.match(await refused(broken), /names no issuer/);
  assert.deepEqual(evil.asked, [], 'nobody else is asked for keys');
});

test('an issuer that is down lets nobody in, and is said to be', async (t) => {
  const { issuer, api, as } = await service(t);
  const jwt = await issuer.sign(githubJob(issuer));
  await issuer.close();
  const { status, headers, body } = await as(jwt);
  assert.deepEqual([status, headers['retry-after'], body.type], [503, '10', problemType('issuer-away')]);
  assert.equal(
    body.detail,
    `The keys of ${issuer.url} could not be read, so nobody can tell whether the job's token is right. The service's log says why. Ask again.`,
  );
  assert.equal((await as(jwt, 'GET', '/health')).status, 503, 'also where no token is needed');
  assert.equal((await api.ask('viewer', 'GET', '/campaigns')).status, 200, 'tokens with a secret are as before');
});

test('a token of a megabyte is refused before anybody reads it', async (t) => {
  const { issuer, api } = await service(t);
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const jwt = await issuer.sign({ ...githubJob(issuer), filler: 'x'.repeat(1e6) });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/campaigns`, { headers: { authorization: `Bearer ${jwt}` } });
  assert.deepEqual([answer.status, ((await answer.json()) as { type: string }).type], [431, problemType('headers-too-large')]);
  assert.deepEqual(issuer.asked, []);
});

test('a job signs no browser in, and its streams end with its token', async (t) => {
  const { issuer, api, as } = await service(t);
  const jwt = await issuer.sign(githubJob(issuer));
  const { status, cookies } = await api.ask(null, 'POST', '/session', { payload: { token: jwt } });
  assert.deepEqual([status, cookies], [400, []]);
  await as(jwt, 'POST', '/campaigns', { payload: campaign });
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const stream = await fetch(`${url}/api/v1/campaigns/1/events`, { headers: { authorization: `Bearer ${jwt}` } });
  api.clock.now = (seconds + 330) * 1_000;
  assert.match(await stream.text(), /event: progress/);
  assert.equal((await as(jwt)).status, 401);
});

test('wrong tokens of jobs are counted as all wrong ones, and rates are of the rule', async (t) => {
  const issuer = await testIssuer(t);
  const api = await tokenApi(t, { oidc: [githubRule(issuer)], rateLimits: { failedSignIns: 3, submitter: 5 } });
  const { as } = asking(api);
  const right = () => issuer.sign(githubJob(issuer));
  const wrong = await issuer.sign({ ...githubJob(issuer), repository: 'stranger/shop' });
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await as(wrong)).status);
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  const rightOnes: number[] = [];
  for (let i = 0; i < 6; i++) rightOnes.push((await as(await right())).status);
  assert.deepEqual(rightOnes, [200, 200, 200, 200, 200, 429]);
});

test('a rule of everybody keeps the service from starting, and so does one that cannot be told apart', async (t) => {
  const issuer = await testIssuer(t);
  const refusal = async (...rules: Partial<OidcRule>[]) => {
    const error = await tokenApi(t, { oidc: rules.map((rule) => githubRule(issuer, rule)) }).then(
      () => assert.fail('started'),
      ({ message }: Error) => message,
    );
    return error.replace(/^access\.oidc: The rule "[^"]+" cannot be used\. /, '');
  };
  const github = { issuer: 'https://token.actions.githubusercontent.com' };
  for (const claims of [{}, { ref: '*' }, { iss: 'x', aud: 'y' }])
    assert.match(await refusal({ claims }), /^It names no claim but issuer and audience: every job/);
  for (const claims of [
    { ref: 'refs/heads/main' },
    { repository: '*', ref: 'x' },
    { repository: '*/shop' },
    { sub: 'repo:*' },
    { actor: 'octocat' },
  ])
    assert.match(
      await refusal({ ...github, claims } as Partial<OidcRule>),
      /^It does not say whose jobs may ask, and everybody has jobs at https/,
    );
  assert.match(await refusal({ issuer: 'https://gitlab.com', claims: { ref: 'main' } }), /Name one of project_path, /);
  assert.match(await refusal({ issuer: 'http://gitlab.example' }), /^http:\/\/gitlab\.example is not https/);
  assert.match(await refusal({ jwksUrl: 'http://gitlab.example/keys' }), /is not https/);
  assert.match(await refusal({}, {}), /^There are two of this name/);
  assert.match(await refusal({}, { name: 'other', jwksUrl: 'https://x.example/' }), /have different jwksUrl/);
  assert.match(
    await refusal({ role: 'admin', scope: { gates: ['x'] } }),
    /^A scope narrows what a submitter may make; the role is admin\./,
  );
  const database = join(testFolder(t), 'pronghorn.db');
  const api = await tokenApi(t, {}, { database });
  await api.app.close();
  await assert.rejects(
    restarted(t, database, [githubRule(issuer, { name: 'the admin' })]),
    /"the admin" cannot be used\. Token \d is named "the admin" too/,
  );
});

test('no job’s token is in the log', async (t) => {
  const issuer = await testIssuer(t);
  const log: string[] = [];
  const stream = new PassThrough().on('data', (chunk) => log.push(String(chunk)));
  const api = await tokenApi(t, { oidc: [githubRule(issuer)] }, { logger: { level: 'trace', pretty: false, stream } });
  const { as } = asking(api);
  const jwt = await issuer.sign(githubJob(issuer));
  await as(jwt);
  const other = await issuer.sign({ ...githubJob(issuer), repository: 'stranger/shop' });
  await as(other);
  await issuer.close();
  await as(await issuer.sign(githubJob(issuer), { header: { alg: 'RS256', kid: 'key-9' } }));
  assert.match(log.join(''), /\/api\/v1\/campaigns/);
  for (const secret of [jwt, other]) assert.ok(!log.join('').includes(secret.split('.')[2] ?? ''), 'in the log');
});
