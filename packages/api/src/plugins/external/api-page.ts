// A page at /docs to read the API's description and to try it. All that it needs is served here: it works without any other host.
import swaggerUi from '@fastify/swagger-ui';
import fp from 'fastify-plugin';

export default fp(async (app) => {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'anyone' }; // it tells what the service can, nothing of what it knows
    });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      logLevel: 'warn',
      staticCSP: policy,
      // Without a validatorUrl of null the page would ask validator.swagger.io about the document.
      // BaseLayout: without the bar that asks for the address of another document.
      uiConfig: { layout: 'BaseLayout', docExpansion: 'list', deepLinking: true, validatorUrl: null, persistAuthorization: false },
      theme: { title: 'Pronghorn’s REST API' },
    });
  });
});

/** In place of the dashboard's: the page sets styles by script, and its icons are data URLs. */
const policy = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'connect-src': ["'self'"],
  'font-src': ["'self'", 'data:'],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
};
