import helmet from '@fastify/helmet';
import fp from 'fastify-plugin';

/**
 * Security headers of every answer. A page that needs another policy says so on its route: `helmet: { contentSecurityPolicy: … }`.
 * Nothing is sent that would let other origins read (CORS).
 */
export default fp(async (app) => {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      // As in the dashboard's own index.html: pages under test may be hostile, and their names and URLs are drawn here.
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'], // pictures of pages come within JSON
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    // Would bind every port of the host to https. Who has the certificate, the gateway, knows whether that is meant.
    strictTransportSecurity: false,
  });
  // What a service measures is nobody's search result, whoever may read it.
  app.addHook('onRequest', async (_request, reply) => void reply.header('x-robots-tag', 'noindex, nofollow'));
});
