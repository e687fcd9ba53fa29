import fp from 'fastify-plugin';
import type { AccessOptions } from './access-options.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes the first admin's token where there is no token at all, and hands it to who started the service. */
    handOutFirstToken(): Promise<void>;
  }
}

export default fp<{ access: AccessOptions }>(
  async (app, { access }) => {
    app.decorate('handOutFirstToken', async () => {
      if (access.kind === 'open' || access.onFirstToken === undefined) return;
      const first = await app.write(() => {
        const created = app.tokens.createFirst('admin');
        if (created === null) return null;
        const { id, name, role } = created;
        app.audit.record({ by: null, action: 'token.create', subject: id, detail: { name, role, first: true } });
        return created;
      });
      if (first !== null) access.onFirstToken(first.token);
    });
  },
  { name: 'first-token', dependencies: ['sqlite', 'tokens-repository', 'audit-repository'] },
);
