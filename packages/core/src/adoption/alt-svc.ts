/** One service that an Alt-Svc header names. `ma=0` withdraws what was offered before. */
type AlternativeService = {
  /** Its ALPN name, percent-decoded: `h3`, `h3-29`, `quic`, … */
  protocol: string;
  /** Empty: the origin's own host. */
  host: string;
  port: number;
  /** How long it may be remembered, seconds; default a day. */
  maxAgeSeconds: number;
  /** True if it survives a change of network. */
  persist: boolean;
  /** All parameters by their lower-case names, unquoted; in Google's QUIC `v` lists the versions. */
  parameters: Record<string, string>;
};

/** `clear` withdraws everything advertised before. */
type AltSvc = 'clear' | AlternativeService[];

/**
 * Parses an Alt-Svc header by its grammar: RFC 7838, section 3, with tokens and quoted strings of RFC 9110, section 5.6.
 *
 * Several headers of one response may be joined by commas or line breaks, as Chrome does. A part that does not fit the grammar is skipped up to
 * the next comma, as clients do; `clear` counts only if it is the whole header.
 *
 * @param header null: there was none.
 */
export function parseAltSvc(header: string | null): AltSvc {
  if (header === null) return [];
  const text = header.replaceAll(/[\r\n]+/g, ',');
  if (/^[\s,]*clear[\s,]*$/.test(text)) return 'clear'; // case-sensitive
  const services: AlternativeService[] = [];
  for (const part of splitOutsideQuotes(text, ',')) {
    const service = parseService(part);
    if (service) services.push(service);
  }
  return services;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const alternative = new RegExp(`^\\s*(${token})=(${quoted})\\s*$`, 's');
const parameter = new RegExp(`^\\s*(${token})\\s*=\\s*(${token}|${quoted})\\s*$`, 's');

function parseService(text: string): AlternativeService | null {
  const [first = '', ...rest] = splitOutsideQuotes(text, ';');
  const [, id = '', authority = ''] = alternative.exec(first) ?? [];
  const [, host = '', port] = /^(\[[0-9a-f:.]+\]|[^:[\]]*):(\d{1,5})$/i.exec(unquote(authority)) ?? [];
  if (port === undefined || Number(port) > 65_535 || Number(port) === 0) return null;
  const parameters: Record<string, string> = Object.create(null);
  for (const each of rest) {
    const [, name = '', value = ''] = parameter.exec(each) ?? [];
    if (name !== '') parameters[name.toLowerCase()] = unquote(value);
  }
  const maxAge = /^\d+$/.test(parameters.ma ?? '') ? Number(parameters.ma) : 86_400;
  return {
    protocol: percentDecoded(id),
    host: host.toLowerCase(),
    port: Number(port),
    maxAgeSeconds: maxAge,
    persist: parameters.persist === '1',
    parameters,
  };
}

/** An unclosed quote extends to the end. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let place = 0; place < text.length; place++) {
    const letter = text[place];
    if (isQuoted && letter === '\\') place++;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && letter === separator) {
      parts.push(text.slice(from, place));
      from = place + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

const unquote = (value: string): string => (value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : value);

function percentDecoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/**
 * Whether an Alt-Svc header offers HTTP/3 on the same host and port, where forcing QUIC works.
 *
 * Only the final version counts (`h3`), no drafts (RFC 9114, section 3.1.1).
 *
 * @param header such as `h3=":443"; ma=86400, h3-29=":443"`; null when there was none
 */
export function offersH3(header: string | null, hostname: string, port: number): boolean {
  const services = parseAltSvc(header);
  if (services === 'clear') return false;
  return services.some(
    (service) =>
      service.protocol === 'h3' && service.maxAgeSeconds > 0 && service.port === port && (service.host === '' || service.host === hostname),
  );
}

/**
 * The family of a version: HTTP/3 as published, its drafts, Google's QUIC with or without HTTP/3 frames, and HTTP/0.9 over drafts of QUIC, which
 * is for tests.
 */
type QuicFamily = 'h3' | 'h3-draft' | 'google-quic' | 'hq';

/** Ten times as many as any known server lists. */
const maxVersions = 100;

/**
 * The distinct versions of HTTP/3 and QUIC that an Alt-Svc header advertises, sorted: `h3`, `h3-29`, `h3-Q050`, `h3-T051`, `hq-29`, and
 * `quic-43` for each version that the `v` of Google's `quic` lists (`quic` if it lists none). Hosts and ports don't matter here.
 *
 * @param header null: there was none.
 */
export function quicVersions(header: string | null): string[] {
  const services = parseAltSvc(header);
  if (services === 'clear') return [];
  const versions = services.flatMap(({ protocol, parameters, maxAgeSeconds }) => {
    // What may be kept for no time is withdrawn.
    if (maxAgeSeconds === 0) return [];
    if (protocol === 'quic') return googleVersions(parameters.v);
    return familyOf(protocol) === null ? [] : [protocol];
  });
  return [...new Set(versions)].slice(0, maxVersions).sort();
}

/** @returns null for anything other than HTTP/3 and QUIC. */
export function familyOf(version: string): QuicFamily | null {
  if (version === 'h3') return 'h3';
  if (/^h3-\d{1,3}$/.test(version)) return 'h3-draft';
  if (/^(h3-[QT]\d{3}|quic(-[QT]?\d{1,3})?)$/.test(version)) return 'google-quic';
  return /^hq(-\d{1,3}|-interop)?$/.test(version) ? 'hq' : null;
}

/** The versions in `46,43`. */
function googleVersions(named: string | undefined): string[] {
  const versions = (named ?? '')
    .split(',')
    .map((version) => version.trim())
    .filter((version) => /^[QT]?\d{1,3}$/.test(version));
  return versions.length === 0 ? ['quic'] : versions.map((version) => `quic-${version}`);
}
