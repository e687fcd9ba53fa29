// Caddy as the origin's server: a second implementation of HTTP/2 and HTTP/3 (Go's and quic-go's), so that a finding about
// HTTP/3 can be told from one about nginx.
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workerUser } from '../worker-user.ts';
import { renderCaddyConfig } from './caddy-config.ts';
import { caddySettings, goDebug } from './caddy-settings.ts';
import { findCaddy, readCaddyBuild } from './find-caddy.ts';
import type { OriginServer, Wanted } from './server.ts';
import { startServer } from './server-process.ts';

/** @throws {Error} when the program is no Caddy, or too old a one */
export function openCaddy({ version, program = findCaddy(version) }: Wanted = {}): OriginServer {
  const settings = caddySettings(readCaddyBuild(program));
  return {
    name: 'caddy',
    settings,
    async start(input) {
      const { run, content, sockets, place, qlogs } = input;
      const configuration = 'caddy.json';
      // It is one process without a master: started by root, all of it runs as somebody else.
      const user = await workerUser([join(content, 'article', 'index.html'), sockets.upstream, program]);
      const home = join(run, 'temp', 'caddy');
      await mkdir(home, { recursive: true });
      if (user)
        for (const path of [home, sockets.directory, ...(qlogs === undefined ? [] : [qlogs])]) await chown(path, user.uid, user.gid);
      await writeFile(join(run, configuration), await renderCaddyConfig(input), { mode: 0o600 });
      return await startServer(run, {
        name: 'Caddy',
        argv: [program, 'run', '--config', '-'],
        enter: place.enter,
        user,
        // Nothing of Caddy's lies outside the run's folder.
        environment: {
          ...{ PATH: process.env.PATH, GODEBUG: goDebug, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
          ...(qlogs === undefined ? {} : { QLOGDIR: qlogs }),
        },
        configuration,
        byStandardStreams: true,
        endSignal: 'SIGQUIT', // SIGTERM waits for open responses
        isBound: (_pid, errorLog) => errorLog.includes('"msg":"serving initial configuration"'),
        fatal: /^Error: |"level":"(fatal|panic|error)"/,
      });
    },
  };
}
