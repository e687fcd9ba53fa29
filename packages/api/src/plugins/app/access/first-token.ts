import fp from 'fastify-plugin';
import type { AccessOptions } from './access-options.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes the first admin's token where there is no token at all, and hands it to who started the service. */
    handOutFirstToken(): void;
  }
}

export default fp<{ access: AccessOptions }>(
  async (app, { access }) => {
    app.decorate('handOutFirstToken', () => {
      if (access.kind === 'open' || access.onFirstToken === undefined) return;
      const first = app.tokens.createFirst('admin');
      if (!first) return;
      const { id, name, role } = first;
      app.audit.record({ by: null, action: 'token.create', subject: id, detail: { name, role, first: true } });
      access.onFirstToken(first.token);
    });
  },
  { name: 'first-token', dependencies: ['tokens-repository', 'audit-repository'] },
);
