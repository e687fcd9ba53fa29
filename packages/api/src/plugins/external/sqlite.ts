import fp from 'fastify-plugin';
import { type Database, openDatabase } from '../../storage/database.ts';
import { createWrite, type Write } from '../../storage/write.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** To be read; what changes it, does so by `commit`. */
    database: Database;
    commit: Write;
  }
}

type Options = { file: string; migrations?: string | undefined; lockWaitMs?: number; everyMs?: number };

/** Opens the database for as long as the api runs. @param everyMs between two looks at its statistics; default a few hours. */
export default fp<Options>(async (app, { file, migrations, lockWaitMs, everyMs = 4 * 3_600_000 }) => {
  const database = openDatabase(file, { migrations });
  app.decorate('database', database);
  /** Keeps the query planner's statistics fresh, as sqlite.org/lang_analyze.html advises for connections that stay open. */
  const optimize = (mask = '') => {
    try {
      database.pragma('analysis_limit = 400'); // rows of each index: milliseconds, however large the database is
      database.pragma(`optimize${mask}`);
    } catch (error) {
      app.log.warn({ err: error }, 'the statistics of the database could not be refreshed'); // such as on a full disk
    }
  };
  optimize('=0x10002'); // of tables that were never looked at, too
  const commit = createWrite(database, lockWaitMs);
  app.decorate('commit', commit);
  const timer = setInterval(() => void commit(() => optimize()).catch(() => {}), everyMs).unref(); // or the next time
  app.addHook('onClose', async () => {
    clearInterval(timer);
    optimize();
    database.close();
  });
});
