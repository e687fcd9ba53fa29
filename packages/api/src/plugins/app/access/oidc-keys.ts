// The public keys of an issuer of jobs' tokens: fetched when they are needed, kept for a while, and never asked for too often.
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** The issuer did not answer, or not with keys: nobody knows whether its tokens are right. */
export class IssuerAway extends Error {}

/** Of a document; the largest sets of keys have some 10 KB. */
const maxBytes = 256 * 1024;
/** Keys that are known go on being used for so long without being asked for again: so long lasts one that the issuer took back. */
const keptMs = 10 * 60_000;
/** Unknown key ids, which anybody can send, have the keys fetched no more often than this. */
const cooldownMs = 30_000;
/** After an issuer failed, it is left alone for so long. */
const failedMs = 10_000;
const discoveredMs = 3_600_000;

/**
 * @param options.jwksUrl default: where the issuer's discovery document says (OpenID Connect Discovery 1.0, section 4).
 * @param options.timeoutMs of each document as a whole.
 * @returns finds the key of a token. It throws IssuerAway, besides what `jose` throws where there is no such key.
 */
export function issuerKeys(
  issuer: string,
  { jwksUrl, timeoutMs = 5_000 }: { jwksUrl?: string | undefined; timeoutMs?: number } = {},
): JWTVerifyGetKey {
  let failed: { error: IssuerAway; until: number } | undefined;
  let keys: { find: Promise<JWTVerifyGetKey>; until: number } | undefined;

  /** @param read throws where it is not what is expected. @throws IssuerAway */
  async function document<T>(url: string, signal: AbortSignal, read: (content: unknown) => T): Promise<T> {
    if (failed !== undefined && Date.now() < failed.until) throw failed.error;
    try {
      const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json, application/jwk-set+json' } });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(`it answered ${response.status}; expected 200`);
      }
      return read(JSON.parse(await bounded(response)));
    } catch (error) {
      const why = signal.aborted ? `it did not answer within ${timeoutMs} ms` : reasonOf(error as Error);
      failed = { error: new IssuerAway(`${url}: ${why}`), until: Date.now() + failedMs };
      throw failed.error;
    }
  }

  const discovered = () =>
    document(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, AbortSignal.timeout(timeoutMs), (content) => {
      const { issuer: found, jwks_uri: uri } = (content ?? {}) as { issuer?: unknown; jwks_uri?: unknown };
      if (found !== issuer) throw new Error(`it is of issuer ${JSON.stringify(found)}; expected ${issuer}`);
      if (typeof uri !== 'string' || !isSafe(uri)) throw new Error('it has no jwks_uri with https');
      return uri;
    });

  async function keySet(): Promise<JWTVerifyGetKey> {
    const url = new URL(jwksUrl ?? (await discovered()));
    const asKeys = (content: unknown) => {
      createLocalJWKSet(content as JSONWebKeySet); // throws where it is none
      return Response.json(content);
    };
    return createRemoteJWKSet(url, {
      timeoutDuration: timeoutMs,
      cooldownDuration: cooldownMs,
      cacheMaxAge: keptMs,
      [customFetch]: (href, { signal }) => document(href, signal, asKeys),
    });
  }

  return async (header, token) => {
    if (keys === undefined || Date.now() >= keys.until) {
      const asked = { find: keySet(), until: Date.now() + discoveredMs };
      keys = asked;
      asked.find.catch(() => {
        if (keys === asked) keys = undefined;
      });
    }
    return (await keys.find)(header, token);
  };
}

/** Whether keys that come from there are the issuer's: nobody on the way can change them. */
export function isSafe(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname ?? ''));
}

/** @throws Error where it is too long. */
async function bounded({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const reasonOf = ({ message, cause }: Error): string => (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
