// Clients may keep what they read, and ask whether it is still so: ETag and If-None-Match (RFC 9110, 8.8.3 and 13.1.2).
import fastifyEtag from '@fastify/etag';
import fp from 'fastify-plugin';

/** What a strong ETag ends with where its bytes are compressed: other bytes need another one. */
const encoded = /-(?:br|gzip)"/g;

/**
 * Every reply that is not a stream gets the hash of its content as ETag, unless its route set one, which must be strong. Without a
 * word of its route a reply may be kept, by its reader alone, and must be asked for again.
 */
export default fp(
  async (app) => {
    app.addHook('onRequest', async (request) => {
      const { 'if-none-match': asked } = request.headers;
      if (asked !== undefined) request.headers['if-none-match'] = asked.replaceAll(encoded, '"');
    });
    await app.register(fastifyEtag, { algorithm: 'sha256' });
    app.addHook('onRoute', (route) => {
      // After compression, which is a hook of the route too.
      route.onSend = [route.onSend ?? []].flat().concat((_request, reply, payload, done) => {
        const [etag, encoding] = [reply.getHeader('etag'), reply.getHeader('content-encoding')];
        if (typeof etag === 'string' && etag.startsWith('"') && (encoding === 'br' || encoding === 'gzip')) {
          reply.header('etag', `${etag.slice(0, -1)}-${encoding}"`);
        }
        if (etag !== undefined && !reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache');
        done(null, payload);
      });
    });
  },
  { name: 'revalidation', dependencies: ['compress'] },
);
