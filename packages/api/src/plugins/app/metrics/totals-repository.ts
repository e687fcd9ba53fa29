import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';

declare module 'fastify' {
  interface FastifyInstance {
    totals: TotalsRepository;
  }
}

/** How often something happened; `le`, where it is, is the bucket that its duration fell into. */
export type Total = { what: string; labels: Record<string, string>; le: number | null; count: number; seconds: number };

/** Owns the table totals, which triggers of the counted tables write: it holds for all processes and never shrinks. */
export type TotalsRepository = ReturnType<typeof createTotalsRepository>;

export function createTotalsRepository(database: Database) {
  const select = database.prepare<[], { what: string; labels: string; count: number; seconds: number }>('SELECT * FROM totals');
  return {
    all: (): Total[] =>
      select.all().map(({ labels, ...row }) => {
        const { le = null, ...named } = JSON.parse(labels) as Record<string, string> & { le?: number | null };
        return { ...row, labels: named, le };
      }),
  };
}

export default fp(
  async (app) => {
    app.decorate('totals', createTotalsRepository(app.database));
  },
  { name: 'totals-repository', dependencies: ['sqlite'] },
);
