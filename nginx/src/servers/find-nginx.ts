// Finds an nginx that speaks HTTP/3, and reads how it was built.
import { spawnSync } from 'node:child_process';
import { findProgram } from './find-program.ts';

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
      const found = parseBuild(stderr, path).version;
      return found === version ? undefined : `is nginx ${found}`;
    },
  });
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
  /** Whether it passes 103 Early Hints on: since 1.29.0. */
  hasEarlyHints: boolean;
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
    hasEarlyHints: isAtLeast(version, '1.29.0'),
    hasQuicEarlyData: openssl === undefined || (isAtLeast(version, '1.29.1') && isAtLeast(openssl, '3.5.1')),
  };
}

function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}
