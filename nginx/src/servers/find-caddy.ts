// Finds a Caddy, and reads how it was built.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram } from './find-program.ts';

const least = '2.10';

/**
 * The Caddy to start. With a version, the one that nginx/install-caddy.sh built for it. Without, `PRONGHORN_CADDY`; else the one that
 * nginx/install-caddy.sh brought; else one of the system.
 * @throws {Error} that says what was looked at and what to do.
 */
export function findCaddy(version?: string): string {
  return findProgram({
    program: 'caddy',
    wanted: version === undefined ? `Caddy of version ${least} or newer` : `Caddy ${version}`,
    installer: 'nginx/install-caddy.sh',
    version,
    lacks(path) {
      try {
        const found = readCaddyBuild(path).version;
        return version === undefined || found === version ? undefined : `is Caddy ${found}`;
      } catch (error) {
        return `won't do (${(error as Error).message})`;
      }
    },
  });
}

export interface CaddyBuild {
  /** Such as 2.11.4. */
  version: string;
  /** Such as go1.26.5. */
  go: string;
  /** Of the QUIC library quic-go, such as 0.59.0; null when neither the program nor its installer says. */
  quicGo: string | null;
  /** Of golang.org/x/net, which has HTTP/2. */
  goNet: string | null;
}

/** @throws {Error} when the program is no Caddy, or too old a one. */
export function readCaddyBuild(caddy: string): CaddyBuild {
  const ask = (command: string) => {
    const { stdout, error } = spawnSync(caddy, [command], { encoding: 'utf8' });
    if (error) throw new Error(`${caddy} can't be run: ${error.message}`);
    return stdout;
  };
  let builtWith = '';
  try {
    builtWith = readFileSync(join(dirname(caddy), 'built-with'), 'utf8');
  } catch {
    // not one that our installer brought
  }
  return parseCaddyBuild(ask('version'), ask('build-info'), builtWith, caddy);
}

/**
 * Reads what `caddy version` and `caddy build-info` print, and the list of Debian packages that a distribution's was built with. What
 * Go noted of the module that was built goes before what the program calls itself: "unknown" where `go install` built it, and anything
 * that its builder wished.
 */
export function parseCaddyBuild(printed: string, buildInfo: string, builtWith: string, caddy: string): CaddyBuild {
  const built = /^(?:mod|dep)\s+github\.com\/caddyserver\/caddy\/v2\s+v(\d+\.\d+\.\d+)\s/m.exec(buildInfo)?.[1];
  const version = built ?? /^v?(\d+\.\d+(?:\.\d+)?)/.exec(printed)?.[1];
  if (!version) throw new Error(`${caddy} version doesn't say a version of Caddy, but: ${printed.trim().slice(0, 200) || 'nothing'}`);
  if (version.localeCompare(least, 'en', { numeric: true }) < 0) {
    throw new Error(`${caddy} is Caddy ${version}, and ${least} or newer is needed; see nginx/README.md`);
  }
  const linked = (module: string, debian: string) =>
    new RegExp(`^dep\\s+${module}\\s+v(\\S+)`, 'm').exec(buildInfo)?.[1] ??
    new RegExp(`^${debian} \\(= (?:\\d+:)?(\\d[\\d.]*\\d)`, 'm').exec(builtWith)?.[1] ??
    null;
  return {
    version,
    go: /^go\s+(\S+)/m.exec(buildInfo)?.[1] ?? 'unknown',
    quicGo: linked('github\\.com/quic-go/quic-go', 'golang-github-lucas-clemente-quic-go'),
    goNet: linked('golang\\.org/x/net', 'golang-golang-x-net'),
  };
}
