// nginx as the origin's server.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workerUser } from '../worker-user.ts';
import { findNginx, readBuild } from './find-nginx.ts';
import { renderNginxConfig } from './nginx-config.ts';
import { nginxSettings } from './nginx-settings.ts';
import type { OriginServer } from './server.ts';
import { startServer } from './server-process.ts';

/** @throws {Error} when the program is no nginx, or lacks what the origin needs */
export function openNginx(program = findNginx()): OriginServer {
  const settings = nginxSettings(readBuild(program));
  return {
    name: 'nginx',
    settings,
    async start(input) {
      const { run, content, sockets, place } = input;
      const configuration = 'nginx.conf';
      const user = await workerUser([join(content, 'article', 'index.html'), sockets.upstream]);
      await writeFile(join(run, configuration), renderNginxConfig(input, user));
      return await startServer(run, {
        name: 'nginx',
        argv: [program, '-p', run, '-c', join(run, configuration), '-e', join(run, 'error.log')],
        enter: place.enter,
        // The machine's openssl.cnf could raise or lower what the configuration says.
        environment: { PATH: process.env.PATH, OPENSSL_CONF: '/dev/null' },
        configuration,
        endSignal: 'SIGTERM',
        // It writes its pid file after it has bound its sockets.
        isBound: async (pid) => Number(await readFile(join(run, 'nginx.pid'), 'utf8').catch(() => '')) === pid,
        fatal: /\[(emerg|alert|crit|error)\]/,
      });
    },
  };
}
