// Chrome's rights in a runner's container, and what its pages can reach.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FlagChoices } from '../../packages/runner/src/chrome/flags.ts';
import { docker, runInside } from './engine.ts';
import { processesOf, type Running, until } from './running.ts';

/** Containers that a page must not reach listen on it meanwhile. */
const port = 9_999;
const metadata = '169.254.169.254';

/** A runner keeps its Chromes and its link after a campaign, so they can be checked then. */
export function describeChrome(running: () => Running): void {
  describe('Chrome in a runner', { timeout: 600_000 }, () => {
    /** A runner with its link, the way into it, and another runner. */
    const atWork = async () => {
      await running().measured();
      const containers = await running().project.containers('runner');
      for (const container of containers) {
        const enter = await intoVisit(container);
        // A runner that failed in its last round has closed its link.
        if (enter !== undefined) return { container, enter, other: containers.find((one) => one !== container) ?? '' };
      }
      throw new Error('No runner has a link, though both have measured.');
    };

    it('is a user of its own, without capabilities, and gets none', async () => {
      const { container } = await atWork();
      const browsers = (await processesOf(container)).filter(({ name, depth }) => name === 'chromium' && depth === 1);
      assert.ok(browsers.length >= 2, 'one for each protocol');
      for (const { uid, effective, permitted, bounding, noNewPrivileges, seccomp } of browsers)
        assert.deepEqual(
          { uid, effective, permitted, bounding, noNewPrivileges, seccomp },
          { uid: '47813', effective: 0n, permitted: 0n, bounding: 0n, noNewPrivileges: true, seccomp: '2' },
        );
    });

    it('keeps pages in its sandbox: namespaces of their own, and a filter of its own', async () => {
      const { container } = await atWork();
      const processes = await processesOf(container);
      const filters = processes.find(({ depth, name }) => name === 'tini' && depth === 1)?.filters ?? 0;
      const inner = processes.filter(({ name, depth }) => name === 'chromium' && depth === 3);
      assert.ok(inner.length >= 2, 'renderers of two browsers');
      for (const { effective, filters: found } of inner) assert.deepEqual([effective, found], [0n, filters + 1]);
      const choices: FlagChoices = { protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab: undefined };
      const expression = '/adequately sandboxed/.test(document.body?.innerText ?? "") ? document.body.innerText : null';
      const status = await runInside<string>(container, 'browse.ts', { choices, url: 'chrome://sandbox', expression });
      for (const line of [
        /Layer 1 Sandbox\s+Namespace/,
        /PID namespaces\s+Yes/,
        /Network namespaces\s+Yes/,
        /Seccomp-BPF sandbox\s+Yes/,
        /You are adequately sandboxed/,
      ])
        assert.match(status, line);
    });

    it('reaches the origin, and neither the service, nor other containers, nor the runner itself, nor a cloud’s metadata', async () => {
      const { project } = running();
      const { container, enter, other } = await atWork();
      const [api = ''] = await project.containers('api');
      const [origin = ''] = await project.containers('origin');
      await docker(['exec', container, 'ip', 'address', 'add', `${metadata}/32`, 'dev', 'lo']);
      for (const listener of [container, other, origin]) await listen(listener);
      const own = { host: await running().addressOf(container, 'service'), port };
      const forbidden = [
        { host: await running().addressOf(api, 'service'), port: 8_080 },
        { host: await running().addressOf(other, 'service'), port },
        { host: await running().addressOf(other, 'lab'), port },
        { host: await running().addressOf(origin, 'lab'), port },
        own,
        { host: metadata, port },
      ];
      const loopback = { host: '127.0.0.1', port };
      const all = [...forbidden, loopback];
      // The runner itself reaches all of them, so there is something to reach.
      const reached = (places: object[], enter?: string[]) => runInside<boolean[]>(container, 'reaches.ts', places, enter);
      await until(
        'the runner reaches all of them',
        () => reached(all),
        (answers) => answers.every(Boolean),
      );
      const shop = { host: `${project.labPrefix}.111`, port: 4_433 };
      await until(
        'a page reaches the origin',
        () => reached([shop], enter),
        ([answer]) => answer === true,
      );
      assert.deepEqual(
        await reached(all, enter),
        all.map(() => false),
      );
      await docker(['exec', container, 'ip', 'address', 'delete', `${metadata}/32`, 'dev', 'lo']);
    });
  });
}

/** Listens at all addresses of a container. */
async function listen(container: string): Promise<void> {
  const script = `require('net').createServer((socket) => socket.destroy()).listen(${port}, '0.0.0.0')`;
  await docker(['exec', '--detach', container, 'node', '-e', script]);
}

/**
 * Command prefix that starts a program where pages are: in the namespace of the process that holds it, since Chrome's own may not be entered. That
 * process sends its DNS queries over the link. Undefined where there is no link.
 */
async function intoVisit(container: string): Promise<string[] | undefined> {
  const script = `for process in /proc/[0-9]*; do
      [ "$(readlink "$process/exe")" = /usr/bin/sleep ] && nsenter "--net=$process/ns/net" -- nft list tables | grep -q pronghorn_dns && echo "$process"
    done`;
  const { stdout } = await docker(['exec', container, 'sh', '-c', `{ ${script}; } 2> /dev/null || true`]);
  const [holder] = stdout.split('\n');
  return holder ? ['nsenter', `--net=${holder}/ns/net`, '--'] : undefined;
}
