import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import fp from 'fastify-plugin';

/**
 * Serves the dashboard's files at /.
 * @throws Error when the folder is not there.
 */
export default fp<{ webRoot: string }>(async (app, { webRoot }) => {
  if (!statSync(webRoot, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`The dashboard's folder ${webRoot} is not there. Name the folder that has its index.html, or none.`);
  }
  await app.register(fastifyStatic, {
    root: webRoot,
    preCompressed: true, // a file beside it with .br or .gz, where there is one
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (reply, path) => {
      // Their names have a hash of what is in them; whatever names them must be asked for anew.
      const isHashed = path.startsWith(join(webRoot, 'assets') + sep);
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
});
