// The cookie of a browser that is signed in.
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Over https its name makes browsers refuse one that another host or an unencrypted connection sets (RFC 6265bis, cookie name prefixes);
 * the prefix can't be used over plain http, as on a laptop.
 */
const cookieName = ({ protocol }: FastifyRequest) => (protocol === 'https' ? '__Host-pronghorn' : 'pronghorn');

/** Not for scripts, and not with requests that other sites begin. */
const attributesFor = ({ protocol }: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure: protocol === 'https' }) as const;

export const sessionSecretOf = (request: FastifyRequest): string | undefined => request.cookies[cookieName(request)];

/** @param maxAgeMs how long the browser keeps it. */
export function sendSession(request: FastifyRequest, reply: FastifyReply, secret: string, maxAgeMs: number): void {
  reply.setCookie(cookieName(request), secret, { ...attributesFor(request), maxAge: Math.floor(maxAgeMs / 1000) });
}

export function dropSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request), attributesFor(request));
}
