// What a visitor is given by reference is in nothing that Pronghorn writes, whatever the page does with it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { CampaignRequest, Step } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { openVisitorWorld } from '../../runner/e2e/visitor-world.ts';
import { run, start, temporaryData } from './command.ts';

const secrets = {
  password: 'correct horse/battery+staple',
  header: 'wall-pass-5b7d',
  cookie: 'flag#?&cookie-91',
  typed: 'Tr0ub4dor&3 "typed"',
};
const session = 'f00dfeedf00dfeedf00dfeed';

test(
  'a login, headers, a cookie and a proxy’s password leave no trace in database, evidence, exports, output and logs',
  proves('secrets', 'visitors'),
  async (t) => {
    const world = await openVisitorWorld((request, response, { path, headers }) => {
      request.resume();
      if (path.startsWith('/favicon')) return void response.writeHead(404).end();
      const cookie = decodeURIComponent(String(headers.cookie));
      if (path.startsWith('/session?')) {
        // As careless pages do: what was typed, in a URL and a cookie.
        const to = path.includes('wrong') ? `/never?was=${path.slice(9)}` : `/account?was=${encodeURIComponent(path.slice(9))}`;
        response.writeHead(303, {
          location: to,
          'set-cookie': [`session=${session}; HttpOnly; Secure; Path=/`, `typed=${encodeURIComponent(secrets.typed)}`],
        });
        response.end();
        return;
      }
      response.setHeader('content-type', 'text/html');
      response.setHeader('x-echo', [headers.authorization, headers['x-wall'], encodeURIComponent(cookie)].join(' '));
      response.setHeader('set-cookie', `seen=${encodeURIComponent(`${headers.authorization} ${secrets.typed}`)}`);
      const all = JSON.stringify([...Object.values(secrets), session]);
      response.end(
        path.startsWith('/login')
          ? `<!doctype html><title>Log in ${secrets.header}</title><form action="/session"><input id="password" name="password" type="password"><button>In</button></form>`
          : `<!doctype html><title>Page of ${secrets.typed}</title><p>Page<script>
           for (const one of ${all}) for (const way of [one, encodeURIComponent(one), encodeURI(one), btoa(one), escape(one)]) fetch('/told?it=' + way);
           if (performance.now() < 5000 && !location.search) location.replace('/?again=' + encodeURIComponent(${JSON.stringify(secrets.typed)}));
           </script>`,
      );
    });
    t.after(() => world.close());
    const data = await temporaryData((remove) => t.after(remove));
    const said: string[] = [];
    const told = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await run(args, env);
      said.push(stdout, stderr);
      assert.equal(code, 0, stdout + stderr);
    };

    const service = start(['serve', '--open', '--port', '0', '--data', data]);
    await service.says('until Ctrl-C');
    const [, api = ''] = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(service.stderr()) ?? [];
    const send = (method: string, path: string, body: object) =>
      fetch(`${api}/api/v1/${path}`, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    for (const [name, value] of Object.entries(secrets))
      assert.equal((await send('PUT', `secrets/${name}`, { value, hosts: ['localhost', '*.localhost'] })).status, 200);
    const login: Step[] = [{ goto: '/login' }, { type: '#password', secret: 'secret:typed' }, { click: 'button' }];
    const url = world.url('/', 'localhost');
    const request: CampaignRequest = {
      sites: [
        { url, name: 'account' },
        { url: `${url}failing`, visitor: { steps: [...login, { waitForUrl: '/nowhere', atMostMs: 10_000 }] } },
      ],
      protocols: ['h2'],
      rounds: 1,
      limits: { foreignCpuShare: 1, quietMs: 100 },
      visitor: {
        ca: world.ca,
        basicAuth: { user: 'ann', password: 'secret:password' },
        headers: [{ name: 'X-Wall', value: 'secret:header' }],
        cookies: [{ name: 'wall', value: 'secret:cookie' }],
        steps: [...login, { waitForUrl: '/account' }],
      },
    };
    const made = await send('POST', 'campaigns', request);
    assert.equal(made.status, 201, await made.clone().text());
    const runner = start(['runner', '--api', api, '--name', 'here', '--no-fence']);
    await runner.says(/\(id 1\) is complete/);
    await runner.says(/\(id 2\) is complete/);
    runner.child.kill('SIGTERM');
    const file = (name: string) => join(data, name);
    await told(['results', '1', '--data', data, '--json', file('all.json'), '--csv', file('all.csv'), '--har', file('har')]);
    service.child.kill('SIGTERM');
    for (const { stdout, stderr } of [await runner.ended, await service.ended]) said.push(stdout, stderr);

    const asked = world.requests.map(({ path, headers }) => path + JSON.stringify(headers)).join('\n');
    for (const value of [secrets.header, encodeURIComponent(secrets.typed), session]) assert.ok(asked.includes(value), `${value} was sent`);
    const written = writtenIn(data);
    const all = [...written, ['output', said.join('\n')] as const];
    const text = all.map(([, one]) => one).join('\n');
    // Else this searches in the wrong place.
    assert.ok(
      written.some(([name]) => name.endsWith('.har')) && written.some(([name]) => name.includes('evidence')),
      String(written.map(([name]) => name)),
    );
    assert.match(text, /\/told\?it=\[secret\]/);
    assert.match(text, /Step 4 \(wait for a URL with \/nowhere\) failed: the tab's URL is https:\/\/localhost:\d+\/account\?was=/);
    for (const [name, value] of Object.entries({ ...secrets, session, basic: `ann:${secrets.password}` }))
      for (const form of formsOf(value))
        for (const [place, one] of all) assert.ok(!one.includes(form), `${name} as ${form} is in ${place}: ${around(one, form)}`);
  },
);

const formsOf = (value: string): string[] => [
  value,
  encodeURIComponent(value),
  encodeURIComponent(encodeURIComponent(value)),
  encodeURI(value),
  escape(value),
  new URLSearchParams({ value }).toString().slice(6),
  encodeURIComponent(new URLSearchParams({ value }).toString().slice(6)),
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
  Buffer.from(value).toString('base64url'),
];

const around = (text: string, form: string): string => {
  const at = text.indexOf(form);
  return text.slice(Math.max(0, at - 100), at + form.length + 50);
};

/** All files below a folder, and each row of each database, unpacked. */
function writtenIn(folder: string): (readonly [place: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    const whole = [path, unpacked(readFileSync(path))] as const;
    return path.endsWith('.db') ? [whole, ...rowsIn(path)] : [whole];
  });
}

function rowsIn(file: string): (readonly [place: string, text: string])[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .flatMap((row) =>
          Object.values(row).flatMap((one) => (one instanceof Uint8Array ? [[`${name} of ${file}`, unpacked(one)] as const] : [])),
        ),
    );
  } finally {
    database.close();
  }
}

function unpacked(bytes: Uint8Array): string {
  for (const unpack of [gunzipSync, zstdDecompressSync, brotliDecompressSync]) {
    try {
      return unpack(bytes).toString('utf8');
    } catch {
      // It is not packed so.
    }
  }
  return Buffer.from(bytes).toString('utf8');
}
