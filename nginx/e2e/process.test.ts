import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { nextOutput, proves } from '@pronghorn/core/testing';
import { findCaddy, findNginx, type OriginOptions, startOrigin } from '../src/index.ts';
import { needsRoot, openPair } from './namespaces.ts';
import { overH1 } from './requests.ts';
import { firstServers, temporaryFolder } from './temporary-origin.ts';

/** The processes of a server: its session is its own. */
async function processesOf(master: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // Fields after the name in brackets: state, parent, process group, session. A zombie is gone already.
  const alive = stats.map((stat) => ({ pid: Number.parseInt(stat, 10), fields: stat.slice(stat.lastIndexOf(')') + 2).split(' ') }));
  return alive.filter(({ fields }) => fields[0] !== 'Z' && Number(fields[3]) === master).map(({ pid }) => pid);
}

/** A program that starts an origin and is killed; resolves when its server has gone too. */
async function killedAfterStart(
  directory: string,
  options: Omit<OriginOptions, 'directory'>,
): Promise<{ pid: number | undefined; sockets: string }> {
  const program = `import { startOrigin } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    const { pid, accessLog } = await startOrigin(${JSON.stringify({ directory, ...options })});
    console.log(pid + ' ' + accessLog);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = (await nextOutput(child)) as [Buffer];
  const [pid, accessLog = ''] = output.toString().trim().split(' ');
  const sockets = await readlink(join(dirname(accessLog), 'sockets'));
  const server = Number(pid);
  assert.ok((await processesOf(server)).length >= 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const giveUp = performance.now() + 60_000;
  while ((await processesOf(server)).length > 0 && performance.now() < giveUp) await delay(20);
  assert.deepEqual(await processesOf(server), []);
  return { pid: child.pid, sockets };
}

for (const server of firstServers) {
  describe(`on ${server}`, proves('servers'), () => {
    let directory: string;
    before(async () => {
      directory = await temporaryFolder();
    });
    after(() => rm(directory, { recursive: true }));

    test('a program that is killed leaves no server, the next start removes its files, and a stop leaves nothing', async (t) => {
      // Behind a link the server is in another network namespace, which takes root.
      const pair = needsRoot === false ? await openPair() : undefined;
      t.after(() => pair?.close());
      const options = { server, ...(pair === undefined ? {} : { place: pair.place }) };
      const killed = await killedAfterStart(directory, options);
      const origin = await startOrigin({ directory, ...options });
      t.after(() => origin.stop());
      await assert.rejects(readdir(killed.sockets), { code: 'ENOENT' });
      assert.deepEqual(
        (await readdir(join(directory, 'runs'))).filter((name) => name.startsWith(`${killed.pid}-`)),
        [],
      );
      assert.equal((await processesOf(origin.pid)).length, server === 'nginx' ? 2 : 1, 'a master and a worker, or one process');
      const sockets = await readlink(join(dirname(origin.accessLog), 'sockets'));
      await Promise.all([origin.stop(), origin.stop()]);
      await origin.stop();
      assert.deepEqual(await processesOf(origin.pid), []);
      await assert.rejects(readdir(sockets), { code: 'ENOENT' });
      const configuration = { nginx: 'nginx.conf', caddy: 'caddy.json' }[server];
      assert.deepEqual((await readdir(dirname(origin.accessLog))).sort(), ['access.log', 'documents', 'error.log', configuration].sort());
    });

    test('two origins run at once, from the same folder too', async () => {
      const origins = await Promise.all([startOrigin({ directory, server }), startOrigin({ directory, server })]);
      try {
        assert.notEqual(origins[0].port, origins[1].port);
        for (const origin of origins) {
          assert.equal((await overH1(origin, origin.sites[0]?.url as string)).status, 200);
          assert.match(
            (await overH1(origin, `https://sharded.pronghorn.test:${origin.port}/`)).body.toString(),
            new RegExp(`sharded-a[.a-z]+:${origin.port}/`),
          );
        }
        await origins[0].stop();
        assert.equal((await overH1(origins[1], origins[1].sites[0]?.url as string)).status, 200, 'one’s end is not the other’s');
      } finally {
        await Promise.all(origins.map((origin) => origin.stop()));
      }
    });

    test('a port that somebody holds is refused by number', async (t) => {
      const holder = createServer().listen(0, '127.0.0.14');
      t.after(() => holder.close());
      await once(holder, 'listening');
      const { port } = holder.address() as { port: number };
      await assert.rejects(startOrigin({ directory, port, server }), new RegExp(`port ${port} is taken`));
    });
  });
}

describe('a server that refuses its configuration is quoted', proves('servers'), () => {
  let directory: string;
  before(async () => {
    directory = await temporaryFolder();
  });
  after(() => rm(directory, { recursive: true }));

  test('nginx', async () => {
    // A real nginx, by a wrapper that hands it a directive it can't know.
    const broken = join(directory, 'nginx');
    await writeFile(
      broken,
      `#!/bin/sh\n[ "$1" = -V ] && exec '${findNginx()}' -V\nexec '${findNginx()}' "$@" -g 'no_such_directive on;'\n`,
    );
    await chmod(broken, 0o755);
    await assert.rejects(
      startOrigin({ directory, nginx: broken }),
      /nginx did not start: .*\[emerg\].*unknown directive "no_such_directive".*nginx\.conf\)/,
    );
  });

  test('Caddy', async () => {
    const broken = join(directory, 'caddy');
    const script = `[ "$1" = run ] || exec '${findCaddy()}' "$@"\nsed 's/"apps": {/"apps": { "no_such_app": {},/' | '${findCaddy()}' "$@"`;
    await chmod(directory, 0o755);
    await writeFile(broken, `#!/bin/sh\n${script}\n`);
    await chmod(broken, 0o755);
    await assert.rejects(startOrigin({ directory, server: 'caddy', caddy: broken }), /Caddy did not start: .*no_such_app.*caddy\.json\)/);
  });
});
