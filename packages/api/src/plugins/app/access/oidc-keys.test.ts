import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { jwtVerify } from 'jose';
import { type TestIssuer, testIssuer } from '../../../testing/issuer.ts';
import { IssuerAway, issuerKeys } from './oidc-keys.ts';

async function verifying(t: TestContext) {
  const issuer = await testIssuer(t);
  const find = issuerKeys(issuer.url);
  return { issuer, verify: async (jwt: string) => (await jwtVerify(jwt, find)).payload };
}
const claims = { sub: 'a job' };
const away = (words: RegExp) => (error: Error) => error instanceof IssuerAway && words.test(error.message);
const foreign = (issuer: TestIssuer, kid: string) => issuer.sign(claims, { header: { alg: 'RS256', kid } });

test('keys are fetched once for many tokens', async (t) => {
  const { issuer, verify } = await verifying(t);
  const tokens = await Promise.all(Array.from({ length: 10 }, () => issuer.sign(claims)));
  await Promise.all(tokens.map(verify));
  for (const token of tokens) assert.equal((await verify(token)).sub, 'a job');
  assert.deepEqual(issuer.asked, ['/.well-known/openid-configuration', '/keys']);
});

test('unknown keys, which anybody can name, have them fetched once in half a minute', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { issuer, verify } = await verifying(t);
  await verify(await issuer.sign(claims));
  for (let i = 0; i < 10; i++) await assert.rejects(verify(await foreign(issuer, `unknown ${i}`)), { code: 'ERR_JWKS_NO_MATCHING_KEY' });
  assert.equal(issuer.asked.length, 2);
  t.mock.timers.tick(30_001);
  for (let i = 0; i < 10; i++) await assert.rejects(verify(await foreign(issuer, `unknown ${i}`)), { code: 'ERR_JWKS_NO_MATCHING_KEY' });
  assert.equal(issuer.asked.length, 3);
});

test('a new key is found, and the one before counts no more', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { issuer, verify } = await verifying(t);
  const before = await issuer.sign(claims);
  await verify(before);
  await issuer.rotate();
  t.mock.timers.tick(30_001);
  assert.equal((await verify(await issuer.sign(claims))).sub, 'a job');
  await assert.rejects(verify(before), { code: 'ERR_JWKS_NO_MATCHING_KEY' });
});

test('an issuer that is down is asked again after ten seconds, and known keys count meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { issuer, verify } = await verifying(t);
  const token = await issuer.sign(claims);
  issuer.answerBy((_, response) => response.writeHead(502).end());
  for (let i = 0; i < 5; i++) await assert.rejects(verify(token), away(/openid-configuration: it answered 502; expected 200$/));
  assert.equal(issuer.asked.length, 1);
  issuer.answerBy(undefined);
  t.mock.timers.tick(10_001);
  await verify(token);
  await issuer.close();
  t.mock.timers.tick(30_001);
  await assert.rejects(verify(await foreign(issuer, 'unknown')), away(/\/keys: (ECONNREFUSED|UND_ERR_SOCKET|ECONNRESET)$/));
  await verify(token);
  t.mock.timers.tick(600_000);
  await assert.rejects(verify(token), away(/\/keys/), 'keys that are too old count no more');
});

test('an answer that never ends, is 50 MB long, leads elsewhere or is something else gives no keys', async (t) => {
  const { issuer } = await verifying(t);
  const token = await issuer.sign(claims);
  const verify = (jwt: string, timeoutMs: number) => jwtVerify(jwt, issuerKeys(issuer.url, { timeoutMs }));
  let sent = 0;
  for (const [answer, words] of [
    [(response) => void response.write('{'), /did not answer within 300 ms/],
    [() => {}, /did not answer within 300 ms/],
    [
      async (response) => {
        const part = Buffer.alloc(1e6, 32);
        for (; sent < 50e6 && !response.destroyed; sent += part.length)
          if (!response.write(part)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
        response.end('{}');
      },
      /it is longer than 262144 bytes/,
    ],
    [(response) => void response.writeHead(302, { location: `${issuer.url}/keys` }).end(), /it answered 302/],
    [(response) => void response.end('<html>'), /not valid JSON/],
    [(response) => void response.end('null'), /it is of issuer undefined; expected http:/],
    [(response) => void response.end('{"issuer":"https://evil.example"}'), /it is of issuer "https:\/\/evil\.example"; expected http:/],
    [
      (response) => void response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: 'http://evil.example/keys' })),
      /it has no jwks_uri with https/,
    ],
  ] as [(response: Parameters<Parameters<TestIssuer['answerBy']>[0] & {}>[1]) => void, RegExp][]) {
    issuer.answerBy((_, response) => answer(response));
    // An answer that comes may take its time.
    await assert.rejects(verify(token, words.source.includes('300 ms') ? 300 : 60_000), away(words));
  }
  assert.ok(sent < 50e6, `${sent} bytes were taken`);
  issuer.answerBy((_, response) => void response.end('{"keys":"none"}'));
  const find = issuerKeys(issuer.url, { jwksUrl: `${issuer.url}/keys` });
  for (let i = 0; i < 3; i++) await assert.rejects(jwtVerify(token, find), away(/\/keys: JSON Web Key Set malformed/));
  assert.equal(issuer.asked.filter((path) => path === '/keys').length, 1);
});
