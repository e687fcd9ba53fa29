// Finds an nginx that speaks HTTP/3, and reads how it was built.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The nginx to start: `PRONGHORN_NGINX`; else the one that nginx/install.sh brought, in `$PRONGHORN_TOOLS` or .tools of
 * the checkout; else one of the system, if it was built with HTTP/3.
 * @throws {Error} that says what was looked at and what to do.
 */
export function findNginx(): string {
  const named = process.env.PRONGHORN_NGINX;
  if (named) {
    if (!executable(named)) throw new Error(`PRONGHORN_NGINX names ${named}, which is not an executable file`);
    return named;
  }
  const tools = process.env.PRONGHORN_TOOLS || join(checkout, '.tools');
  const brought = join(tools, 'nginx', 'nginx');
  if (executable(brought)) return brought;
  const system = [...(process.env.PATH ?? '').split(':').filter(Boolean), '/usr/sbin', '/usr/local/sbin'].map((folder) =>
    join(folder, 'nginx'),
  );
  const found = [...new Set(system)].filter(executable);
  const usable = found.find((path) => spawnSync(path, ['-V'], { encoding: 'utf8' }).stderr?.includes('http_v3_module'));
  if (usable) return usable;
  const seen = found.length > 0 ? `${found.join(' and ')} ${found.length > 1 ? 'are' : 'is'} without HTTP/3` : 'the system has none';
  throw new Error(
    `no nginx with HTTP/3: there is none at ${brought}, and ${seen}. ` +
      `Run nginx/install.sh ${join(tools, 'nginx')}, or let PRONGHORN_NGINX name one that was built --with-http_v3_module`,
  );
}

export interface NginxBuild {
  /** Such as 1.30.6. */
  version: string;
  /** Such as OpenSSL 3.6.5. */
  tlsLibrary: string;
  /** Whether its QUIC uses CUBIC; NewReno before 1.27.5. */
  hasCubic: boolean;
  /** Whether it can take early data over QUIC: since 1.29.1, and from OpenSSL since 3.5.1 (nginx's ngx_http_v3_module page). */
  hasQuicEarlyData: boolean;
}

/** @throws {Error} when the program is no nginx, or one without what the origin needs. */
export function readBuild(nginx: string): NginxBuild {
  const { stderr, error } = spawnSync(nginx, ['-V'], { encoding: 'utf8' });
  if (error) throw new Error(`${nginx} can't be run: ${error.message}`);
  return parseBuild(stderr, nginx);
}

/** Reads what `nginx -V` prints. */
export function parseBuild(text: string, nginx: string): NginxBuild {
  const version = /nginx version: \S+?\/(\d+\.\d+\.\d+)/.exec(text)?.[1];
  if (!version) throw new Error(`${nginx} -V doesn't say a version of nginx, but: ${text.trim().slice(0, 200) || 'nothing'}`);
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
    hasQuicEarlyData: openssl === undefined || (isAtLeast(version, '1.29.1') && isAtLeast(openssl, '3.5.1')),
  };
}

function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
