// What of a visitor HTTP/3 can't take along.
import type { Visitor } from '../schemas/visitor.ts';

/** @returns why this visitor can't visit over HTTP/3, as a sentence; undefined: it can */
export function http3Barrier({ proxy, clientCertificate }: Visitor): string | undefined {
  if (proxy !== undefined) return `HTTP/3 can't pass the proxy ${proxy}: it needs UDP to the site itself.`;
  // Tried with Chromium 156 and nginx 1.30: asked over QUIC, Chrome answers with an empty certificate, whatever its store has.
  if (clientCertificate !== undefined) return 'Chrome shows no client certificate over HTTP/3.';
  return undefined;
}
