// Who asks for a change, as data: a command runs in another thread than the request, or another process.
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { RequestAccess } from '../plugins/app/access/access.ts';
import { contentHash } from '../storage/canonical-json.ts';

export type Caller = {
  access: RequestAccess;
  /** Of the request, without its query. */
  path: string;
  /** If-Match: the command changes nothing that has another ETag. Null: whatever its state. */
  ifMatch: string | null;
  /** Idempotency-Key, with the hash of the request that it came with, in hex; null: each request makes something, as one whose body is a stream. */
  key: { name: string; request: string } | null;
};

/** This machine's own user. */
export const ownCaller: Caller = {
  access: { role: 'admin', name: null, tokenId: null, scope: null, until: null, publicLink: null },
  path: '',
  ifMatch: null,
  key: null,
};

export function callerOf({ access, url, headers, method, body }: FastifyRequest): Caller {
  const { 'if-match': ifMatch = null, 'idempotency-key': key } = headers;
  return {
    access,
    path: url.split('?', 1)[0] ?? url,
    ifMatch,
    key:
      typeof key === 'string' && !(body instanceof Readable)
        ? { name: key, request: contentHash({ method, url, body: body ?? null }).toString('hex') }
        : null,
  };
}
