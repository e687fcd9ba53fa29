import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findNginx, startOrigin } from '../src/index.ts';
import { overH1 } from './requests.ts';
import { temporaryFolder } from './temporary-origin.ts';

/** The processes of a nginx: its master's session is its own. */
async function processesOf(master: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // Fields after the name in brackets: state, parent, process group, session. A zombie is gone already.
  const alive = stats.map((stat) => ({ pid: Number.parseInt(stat, 10), fields: stat.slice(stat.lastIndexOf(')') + 2).split(' ') }));
  return alive.filter(({ fields }) => fields[0] !== 'Z' && Number(fields[3]) === master).map(({ pid }) => pid);
}

let directory: string;
before(async () => {
  directory = await temporaryFolder();
});
after(() => rm(directory, { recursive: true }));

test('stopping leaves no process and no temporary files, and may be asked for twice', async () => {
  const origin = await startOrigin({ directory });
  assert.ok((await processesOf(origin.pid)).length >= 2, 'a master and a worker');
  await Promise.all([origin.stop(), origin.stop()]);
  await origin.stop();
  assert.deepEqual(await processesOf(origin.pid), []);
  assert.deepEqual((await readdir(join(directory, 'runs', `${process.pid}-1`))).sort(), [
    'access.log',
    'documents',
    'error.log',
    'nginx.conf',
  ]);
});

test('two origins run at once, from the same folder too', async () => {
  const origins = await Promise.all([startOrigin({ directory }), startOrigin({ directory })]);
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

test('a program that is killed leaves no nginx, and what it left does not disturb the next start', async () => {
  const program = `import { startOrigin } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    const { pid } = await startOrigin({ directory: ${JSON.stringify(directory)} });
    console.log(pid);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [Buffer];
  const master = Number(output.toString());
  assert.ok((await processesOf(master)).length >= 2);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const giveUp = performance.now() + 5_000;
  while ((await processesOf(master)).length > 0 && performance.now() < giveUp) await new Promise(setImmediate);
  assert.deepEqual(await processesOf(master), []);

  const origin = await startOrigin({ directory });
  try {
    assert.deepEqual(
      (await readdir(join(directory, 'runs'))).filter((name) => name.startsWith(`${child.pid}-`)),
      [],
    );
    assert.equal((await overH1(origin, origin.sites[0]?.url as string)).status, 200);
  } finally {
    await origin.stop();
  }
});

test('a port that somebody holds is refused by number', async (t) => {
  const server = createServer().listen(0, '127.0.0.14');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await assert.rejects(startOrigin({ directory, port }), new RegExp(`port ${port} is taken`));
});

test('an nginx that refuses its configuration is quoted', async () => {
  // A real nginx, by a wrapper that hands it a directive it can't know.
  const broken = join(directory, 'nginx');
  await writeFile(broken, `#!/bin/sh\n[ "$1" = -V ] && exec '${findNginx()}' -V\nexec '${findNginx()}' "$@" -g 'no_such_directive on;'\n`);
  await chmod(broken, 0o755);
  await assert.rejects(
    startOrigin({ directory, nginx: broken }),
    /nginx did not start: .*\[emerg\].*unknown directive "no_such_directive".*nginx\.conf\)/,
  );
});
