import fp from 'fastify-plugin';
import { type Database, openDatabase } from '../../storage/database.ts';

declare module 'fastify' {
  interface FastifyInstance {
    database: Database;
  }
}

/** Opens the database for as long as the api runs. */
export default fp<{ file: string }>(
  async (app, { file }) => {
    const database = openDatabase(file);
    app.decorate('database', database);
    app.addHook('onClose', async () => {
      try {
        database.pragma('optimize'); // keeps the query planner's statistics fresh, as sqlite.org/lang_analyze.html advises
      } catch (error) {
        app.log.warn({ err: error }, 'the database was closed without refreshing its statistics'); // such as on a full disk
      }
      database.close();
    });
  },
  { name: 'sqlite' },
);
