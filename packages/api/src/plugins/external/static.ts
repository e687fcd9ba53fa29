import { statSync } from 'node:fs';
import fastifyStatic from '@fastify/static';
import fp from 'fastify-plugin';

/**
 * Serves the dashboard's files at /.
 * @throws Error when the folder is not there.
 */
export default fp<{ webRoot: string }>(
  async (app, { webRoot }) => {
    if (!statSync(webRoot, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`The dashboard's folder ${webRoot} is not there. Name the folder that has its index.html, or none.`);
    }
    await app.register(fastifyStatic, { root: webRoot });
  },
  { name: 'static' },
);
