import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { remoteApi } from './remote-service.ts';
import { jobTokenOf, tokenOf } from './token.ts';

/** Gives tokens as GitHub's runner does, which last five minutes; 503 in place of as many as are told. */
async function github(t: TestContext, { failing = 0 } = {}) {
  const asked: { audience: string | null; version: string | null; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    asked.push({
      ...{ audience: searchParams.get('audience'), version: searchParams.get('api-version') },
      authorization: request.headers.authorization,
    });
    if (asked.length <= failing) return response.writeHead(503).end();
    const claims = Buffer.from(JSON.stringify({ iat: 1_000, exp: 1_300, n: asked.length })).toString('base64url');
    response.end(JSON.stringify({ count: 1, value: `ey.${claims}.sig` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const environment = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/idtoken?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
  };

  return { asked, environment };
}

test('a job of GitHub asks for a token for the service, and anew before it is old', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 5_000_000 });
  const { asked, environment } = await github(t);
  const token = jobTokenOf(environment);
  const service = 'https://pronghorn.example';
  const [first, same] = await Promise.all([token?.(service), token?.(service)]);
  assert.equal(first, same);
  assert.deepEqual(asked, [{ audience: service, version: '2.0', authorization: 'Bearer of-the-runner' }]);
  t.mock.timers.tick(239_000);
  assert.equal(await token?.(service), first);
  t.mock.timers.tick(2_000);
  assert.notEqual(await token?.(service), first);
  assert.equal(asked.length, 2);
});

test('the audience can be named', async (t) => {
  const { asked, environment } = await github(t);
  await jobTokenOf(environment, 'speed & more')?.('https://pronghorn.example');
  assert.equal(asked[0]?.audience, 'speed & more');
});

test('GitHub is asked again when it fails, and in the end it is said that it gave none', async (t) => {
  const once = await github(t, { failing: 1 });
  assert.match((await jobTokenOf(once.environment)?.('https://p.example')) ?? '', /^ey\./);
  const always = await github(t, { failing: 9 });
  await assert.rejects(async () => jobTokenOf(always.environment)?.('https://p.example'), {
    message:
      'GitHub gave no token for this job (it answered 503 Service Unavailable). Run the job again, or give a token with --token-file or PRONGHORN_TOKEN.',
  });
  assert.equal(always.asked.length, 4);
});

test('a job of GitLab has one in its environment; a token that is named goes before both; elsewhere there is none', async (t) => {
  const { environment, asked } = await github(t);
  const gitlab = { PRONGHORN_ID_TOKEN: 'ey.gitlab.sig\n' };
  assert.equal(await jobTokenOf(gitlab)?.('https://p.example'), 'ey.gitlab.sig');
  assert.equal(tokenOf({}, { ...environment, ...gitlab, PRONGHORN_TOKEN: 'prg_x' }), 'prg_x');
  assert.equal(tokenOf({ token: 'prg_y' }, environment), 'prg_y');
  assert.equal(tokenOf({}, { ACTIONS_ID_TOKEN_REQUEST_URL: environment.ACTIONS_ID_TOKEN_REQUEST_URL }), null);
  assert.equal(tokenOf({}, {}), null);
  assert.deepEqual(asked, []);
});

test('each request to a service carries the job’s token, and a refusal says whose it was', async (t) => {
  const { environment } = await github(t);
  const said: (string | undefined)[] = [];
  const service = createServer((request, response) => {
    said.push(request.headers.authorization);
    const problem = {
      type: 'urn:pronghorn:problem:unauthenticated',
      title: 'A token is required',
      status: 401,
      detail: 'No rule fits the job.',
    };
    response.writeHead(said.length === 1 ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(problem));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    service.closeAllConnections();
    service.close();
  });
  const api = remoteApi({ url: `http://127.0.0.1:${(service.address() as AddressInfo).port}`, token: tokenOf({}, environment) });
  await api.ask('GET /campaigns');
  await assert.rejects(
    api.ask('GET /campaigns'),
    /^.*A token is required: No rule fits the job\. The token is this job’s own, from GitHub or GitLab\.$/,
  );
  assert.match(said[0] ?? '', /^Bearer ey\./);
});
