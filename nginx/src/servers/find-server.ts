// Looks for a server's program: named by the user, brought by an installer, or the system's.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));

interface Search {
  /** The program's name, its folder's below the tools, and its variable's after PRONGHORN_. */
  program: 'nginx' | 'caddy';
  /** Description of the wanted program, for messages. */
  wanted: string;
  /** The script that brings it, below the checkout. */
  installer: string;
  version: string | undefined;
  /** Why a program can't be used, such as "is without HTTP/3"; undefined: it can. Not called for a named or installed program without a version. */
  lacks(path: string): string | undefined;
}

/**
 * With a version, finds the one installed for it. Without, `PRONGHORN_NAME`; else the installed one, in `$PRONGHORN_TOOLS` or .tools of the checkout; else one of the system.
 * @throws {Error} that says what was looked at and what to do.
 */
function findProgram({ program, wanted, installer, version, lacks }: Search): string {
  const brings = process.env.PRONGHORN_TOOLS || join(checkout, '.tools');
  if (version !== undefined) {
    const folder = join(brings, `${program}-${version}`);
    const path = join(folder, program);
    if (!isExecutable(path)) throw new Error(`no ${wanted}: there is none at ${path}. Run ${installer} ${folder} ${version}`);
    const reason = lacks(path);
    if (reason !== undefined) throw new Error(`no ${wanted}: ${path} ${reason}`);
    return path;
  }
  const variable = `PRONGHORN_${program.toUpperCase()}`;
  const named = process.env[variable];
  if (named) {
    if (!isExecutable(named)) throw new Error(`${variable} names ${named}, which is not an executable file`);
    return named;
  }
  const tools = join(brings, program);
  const brought = join(tools, program);
  if (isExecutable(brought)) return brought;
  const folders = [...(process.env.PATH ?? '').split(':').filter(Boolean), '/usr/sbin', '/usr/local/sbin'];
  const candidates = [...new Set(folders.map((folder) => join(folder, program)))].filter(isExecutable);
  const reasons: string[] = [];
  for (const path of candidates) {
    const reason = lacks(path);
    if (reason === undefined) return path;
    reasons.push(`${path} ${reason}`);
  }
  throw new Error(
    `no ${wanted}: there is none at ${brought}, and ${reasons.length > 0 ? reasons.join(', ') : 'the system has none'}. ` +
      `Run ${installer} ${tools}, or let ${variable} name one`,
  );
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The nginx to start. With a version, the one that nginx/install.sh brought for it. Without, `PRONGHORN_NGINX`; else the one that
 * nginx/install.sh brought; else one of the system, if it was built with HTTP/3.
 * @throws {Error} that says what was looked at and what to do.
 */
export function findNginx(version?: string): string {
  return findProgram({
    program: 'nginx',
    wanted: version === undefined ? 'nginx with HTTP/3' : `nginx ${version}`,
    installer: 'nginx/install.sh',
    version,
    lacks(path) {
      const { stderr } = spawnSync(path, ['-V'], { encoding: 'utf8' });
      if (!stderr?.includes('http_v3_module')) return 'was built without http_v3_module';
      if (version === undefined) return undefined;
      const installed = parseBuild(stderr, path).version;
      return installed === version ? undefined : `is nginx ${installed}`;
    },
  });
}

export interface NginxBuild {
  /** Such as 1.30.6. */
  version: string;
  /** Such as OpenSSL 3.6.5. */
  tlsLibrary: string;
  /** True if its QUIC uses CUBIC; before 1.27.5 it uses NewReno. */
  hasCubic: boolean;
  /** True if it accepts early data over QUIC: since 1.29.1, with OpenSSL since 3.5.1 (nginx's ngx_http_v3_module page). */
  hasQuicEarlyData: boolean;
  /** True if it passes on 103 Early Hints: since 1.29.0. */
  hasEarlyHints: boolean;
}

/** @throws {Error} when the program is no nginx, or one without what the origin needs. */
export function readBuild(nginx: string): NginxBuild {
  const { stderr, error } = spawnSync(nginx, ['-V'], { encoding: 'utf8' });
  if (error) throw new Error(`${nginx} can't be run: ${error.message}`);
  return parseBuild(stderr, nginx);
}

export function parseBuild(text: string, nginx: string): NginxBuild {
  const version = /nginx version: \S+?\/(\d+\.\d+\.\d+)/.exec(text)?.[1];
  if (!version) throw new Error(`${nginx} -V names no version of nginx; it printed: ${text.trim().slice(0, 200) || 'nothing'}`);
  for (const module of ['http_v3_module', 'http_v2_module', 'http_gzip_static_module']) {
    if (!text.includes(`--with-${module}`)) throw new Error(`${nginx} (${version}) was built without ${module}; see nginx/README.md`);
  }
  const library = /\b((?:Open|Boring|Libre)SSL|AWS-LC)( \d[\w.]*)?/;
  const tlsLibrary = (/running with (.*)/.exec(text)?.[1] ?? /built with (.*)/.exec(text)?.[1])?.match(library)?.[0] ?? 'unknown';
  const openssl = /^OpenSSL (.*)/.exec(tlsLibrary)?.[1];
  return {
    version,
    tlsLibrary,
    hasCubic: isAtLeast(version, '1.27.5'),
    hasEarlyHints: isAtLeast(version, '1.29.0'),
    hasQuicEarlyData: openssl === undefined || (isAtLeast(version, '1.29.1') && isAtLeast(openssl, '3.5.1')),
  };
}

function isAtLeast(version: string, minVersion: string): boolean {
  return version.localeCompare(minVersion, 'en', { numeric: true }) >= 0;
}

const minVersion = '2.10';

/**
 * The Caddy to start. With a version, the one that nginx/install-caddy.sh built for it. Without, `PRONGHORN_CADDY`; else the one that
 * nginx/install-caddy.sh brought; else one of the system.
 * @throws {Error} that says what was looked at and what to do.
 */
export function findCaddy(version?: string): string {
  return findProgram({
    program: 'caddy',
    wanted: version === undefined ? `Caddy of version ${minVersion} or newer` : `Caddy ${version}`,
    installer: 'nginx/install-caddy.sh',
    version,
    lacks(path) {
      try {
        const installed = readCaddyBuild(path).version;
        return version === undefined || installed === version ? undefined : `is Caddy ${installed}`;
      } catch (error) {
        return `can't be used (${(error as Error).message})`;
      }
    },
  });
}

export interface CaddyBuild {
  /** Such as 2.11.4. */
  version: string;
  /** Such as go1.26.5. */
  go: string;
  /** Version of the QUIC library quic-go, such as 0.59.0; null when neither the program nor its installer says. */
  quicGo: string | null;
  /** Version of golang.org/x/net, which implements HTTP/2. */
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
  if (!version) throw new Error(`${caddy} version names no version of Caddy; it printed: ${printed.trim().slice(0, 200) || 'nothing'}`);
  if (version.localeCompare(minVersion, 'en', { numeric: true }) < 0) {
    throw new Error(`${caddy} is Caddy ${version}, and ${minVersion} or newer is needed; see nginx/README.md`);
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
