// Splits a response's bytes into headers and body, where the browser's totals allow it.
import type { Resource } from '@pronghorn/core/schemas';

/** A frame of HTTP/2 has nine bytes before its content, and no more content than this unless the browser allows it, which none does (RFC 9113, 4.1, 4.2). */
const frameHeader = 9;
const maxFrame = 16_384;

export interface Received {
  protocol: string | null;
  /** Bytes received when the browser reported the response. */
  atHeaders: number;
  /** All of its bytes; undefined: it did not finish, or it redirected. */
  whole: number | undefined;
  decodedBody: number;
  isEncoded: boolean;
  /** From the response's header; undefined: it has none, or gives the length of a body that was not sent. */
  contentLength: number | undefined;
}

/**
 * Sizes as they came, never estimated: null is not known.
 *
 * Chromium 156 counts, compared with nginx's log (e2e/visits.test.ts): over HTTP/1.1 what it read of the headers, then of the body with its chunks; over
 * HTTP/3 both without frames. In both, it reports a response before it reads any of the body. Over HTTP/2 it counts received bytes, with frames, and
 * some of the body may have come before the report: none has if the bytes that follow are as many as the body in its frames.
 */
export function responseSizes(received: Received): Pick<Resource, 'headerBytes' | 'encodedBodyBytes'> {
  const { protocol, atHeaders, whole, contentLength } = received;
  if (whole === undefined) {
    const isApart = protocol !== 'h2' && atHeaders > 0;
    return { headerBytes: isApart ? atHeaders : null, encodedBodyBytes: contentLength === 0 ? 0 : null };
  }
  const after = whole - atHeaders;
  const body = bodyOf(received, after);
  if (body !== null && body > whole) return { headerBytes: null, encodedBodyBytes: null };
  const isApart = body !== null && (protocol === 'h2' ? isInFrames(body, after) : after >= body);
  return { headerBytes: isApart && atHeaders > 0 ? atHeaders : null, encodedBodyBytes: body };
}

function bodyOf({ protocol, decodedBody, isEncoded, contentLength }: Received, after: number): number | null {
  if (!isEncoded) return decodedBody;
  if (contentLength !== undefined) return contentLength;
  return protocol?.startsWith('h3') === true && after > 0 ? after : null;
}

function isInFrames(body: number, bytes: number): boolean {
  const frames = (bytes - body) / frameHeader;
  return Number.isInteger(frames) && frames >= Math.ceil(body / maxFrame);
}
