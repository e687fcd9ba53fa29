import fp from 'fastify-plugin';
import { type Database, openDatabase } from '../../storage/database.ts';
import { createWrite, type Write } from '../../storage/write.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** To be read; what changes it, does so by `write`. */
    database: Database;
    write: Write;
  }
}

/** Opens the database for as long as the api runs. */
export default fp<{ file: string; lockWaitMs?: number }>(
  async (app, { file, lockWaitMs }) => {
    const database = openDatabase(file);
    app.decorate('database', database);
    app.decorate('write', createWrite(database, lockWaitMs));
    app.addHook('onClose', async () => {
      try {
        database.pragma('query_only = 0');
        database.pragma('optimize'); // keeps the query planner's statistics fresh, as sqlite.org/lang_analyze.html advises
      } catch (error) {
        app.log.warn({ err: error }, 'the database was closed without refreshing its statistics'); // such as on a full disk
      }
      database.close();
    });
  },
  { name: 'sqlite' },
);
