import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openTokens } from '../../../offline.ts';
import { startApi } from '../../../server.ts';
import { testFolder } from '../../../testing/test-api.ts';

const optionsIn = (folder: string) => ({ database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') });

test('of processes that start at once on a new database, one makes the first token', async (t) => {
  const options = optionsIn(testFolder(t));
  const program = `
    const { startApi } = await import(${JSON.stringify(join(import.meta.dirname, '../../../server.ts'))});
    const options = { ...${JSON.stringify(options)}, access: { kind: 'tokens', onFirstToken: (token) => console.log(token) } };
    await (await startApi(options)).close();`;
  const said = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
      return text(child.stdout);
    }),
  );
  const tokens = said.join('').trim().split('\n');
  assert.equal(tokens.length, 1);
  assert.match(tokens[0] ?? '', /^prg_[0-9a-f]{64}$/);

  const api = await startApi({ ...options, access: { kind: 'tokens', onFirstToken: () => assert.fail('a second first token') } });
  t.after(() => api.close());
  const ask = async (path: string) =>
    (await fetch(`${api.url}/api/v1/${path}`, { headers: { authorization: `Bearer ${tokens[0]}` } })).json();
  const { items } = (await ask('tokens')) as { items: { name: string; role: string }[] };
  assert.deepEqual(
    items.map(({ name, role }) => [name, role]),
    [['admin', 'admin']],
  );
  assert.equal(((await ask('audit')) as { items: { action: string }[] }).items[0]?.action, 'token.create');
});

test('a start that fails takes no first token along', async (t) => {
  const first = await startApi(optionsIn(testFolder(t)));
  t.after(() => first.close());
  const options = optionsIn(testFolder(t));
  const access = { kind: 'tokens', onFirstToken: () => assert.fail('nobody would see it') } as const;
  await assert.rejects(startApi({ ...options, access, port: Number(new URL(first.url).port) }), /another program listens there/);
  const tokens = openTokens(options.database);
  t.after(() => tokens.close());
  assert.deepEqual(await tokens.list(), []);
});

test('no token is made where nobody would be told of it', async (t) => {
  const options = optionsIn(testFolder(t));
  await (await startApi({ ...options, access: { kind: 'tokens' } })).close();
  const tokens = openTokens(options.database);
  t.after(() => tokens.close());
  assert.deepEqual(await tokens.list(), []);
});

test('a rule for jobs is no token that anybody could sign in with: the first one is made beside it', async (t) => {
  const rule = {
    name: 'shop',
    issuer: 'https://gitlab.example',
    audience: 'x',
    claims: { project_path: 'acme/shop' },
    role: 'submitter',
  } as const;
  const told: string[] = [];
  const access = { kind: 'tokens', oidc: [rule], onFirstToken: (token: string) => void told.push(token) } as const;
  const api = await startApi({ ...optionsIn(testFolder(t)), access });
  t.after(() => api.close());
  assert.match(told[0] ?? '', /^prg_/);
});
