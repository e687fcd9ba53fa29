// nginx as the origin's server.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workerUser } from '../worker-user.ts';
import { findNginx, type NginxBuild, readBuild } from './find-nginx.ts';
import { folderOf, renderNginxConfig, type Share, sharesOf } from './nginx-config.ts';
import { nginxSettings } from './nginx-settings.ts';
import type { OriginServer, StartInput, Wanted } from './server.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** @throws {Error} when the program is no nginx, or lacks what the origin needs */
export function openNginx({ version, program = findNginx(version) }: Wanted = {}): OriginServer {
  const build = readBuild(program);
  const settings = nginxSettings(build);
  return {
    name: 'nginx',
    settings,
    async start(input) {
      const started: { name: string; process: ServerProcess }[] = [];
      const stop = async () => {
        await Promise.all(started.map(({ process }) => process.stop()));
      };
      try {
        // One after the other: which of two took an address first decides nothing.
        for (const share of sharesOf(input.hosts))
          started.push({ name: share.name, process: await startShare(program, input, share, build) });
      } catch (error) {
        await stop();
        throw error;
      }
      const pids = Object.fromEntries(started.map(({ name, process }) => [name, process.pid]));
      return { pid: pids.main as number, pids, stop };
    },
  };
}

async function startShare(program: string, input: StartInput, share: Share, { hasEarlyHints }: NginxBuild): Promise<ServerProcess> {
  const { content, sockets, place } = input;
  const folder = folderOf(input, share);
  await mkdir(join(folder, 'temp'), { recursive: true });
  const user = await workerUser([join(content, 'article', 'index.html'), sockets.upstream]);
  const configuration = renderNginxConfig(input, user, { share, earlyHints: hasEarlyHints && share.name === 'main' });
  return await startNginx(program, { folder, enter: place.enter, configuration });
}

/** @param nginx its folder, which holds a folder `temp` already, what starts it in its place, and the text of its configuration */
export async function startNginx(
  program: string,
  { folder, enter, configuration }: { folder: string; enter: readonly string[]; configuration: string },
): Promise<ServerProcess> {
  await writeFile(join(folder, 'nginx.conf'), configuration);
  return await startServer(folder, {
    name: 'nginx',
    argv: [program, '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    enter,
    // The machine's openssl.cnf could raise or lower what the configuration says.
    environment: { PATH: process.env.PATH, OPENSSL_CONF: '/dev/null' },
    configuration: 'nginx.conf',
    endSignal: 'SIGTERM',
    // It writes its pid file after it has bound its sockets.
    isBound: async (pid) => Number(await readFile(join(folder, 'nginx.pid'), 'utf8').catch(() => '')) === pid,
    fatal: /\[(emerg|alert|crit|error)\]/,
  });
}
