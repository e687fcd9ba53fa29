import { parseAltSvc } from './alt-svc.ts';

/**
 * What a version belongs to: HTTP/3 as published, its drafts, Google's QUIC that carried HTTP/3 frames or not, and HTTP/0.9 over
 * drafts of QUIC, which is for tests.
 */
export type QuicFamily = 'h3' | 'h3-draft' | 'google-quic' | 'hq';

/** Ten times what any server is known to name. */
const mostVersions = 100;

/**
 * The versions of HTTP/3 and QUIC that an Alt-Svc header advertises, each once, sorted: `h3`, `h3-29`, `h3-Q050`, `h3-T051`, `hq-29`, and
 * `quic-43` for each version that the `v` of Google's `quic` names (`quic` where it names none). On which host or port does not matter here.
 *
 * @param header null: there was none.
 */
export function quicVersions(header: string | null): string[] {
  const said = parseAltSvc(header);
  if (said === 'clear') return [];
  const versions = said.flatMap(({ protocol, parameters }) => {
    if (protocol === 'quic') return googleVersions(parameters.v);
    return familyOf(protocol) === null ? [] : [protocol];
  });
  return [...new Set(versions)].slice(0, mostVersions).sort();
}

/** @returns null for what is neither HTTP/3 nor QUIC. */
export function familyOf(version: string): QuicFamily | null {
  if (version === 'h3') return 'h3';
  if (/^h3-\d{1,3}$/.test(version)) return 'h3-draft';
  if (/^(h3-[QT]\d{3}|quic(-[QT]?\d{1,3})?)$/.test(version)) return 'google-quic';
  return /^hq(-\d{1,3}|-interop)?$/.test(version) ? 'hq' : null;
}

/** Of `46,43`. */
function googleVersions(named: string | undefined): string[] {
  const versions = (named ?? '')
    .split(',')
    .map((version) => version.trim())
    .filter((version) => /^[QT]?\d{1,3}$/.test(version));
  return versions.length === 0 ? ['quic'] : versions.map((version) => `quic-${version}`);
}
