// Stores when tokens were last used: a loop does, since reading writes nothing.
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';

export default fp(async (app) => {
  const { store } = app;
  const storeUses = async () => {
    const uses = await store.access.unstoredTokenUses();
    if (uses.length === 0) return;
    await store.access.storeTokenUses(uses);
    await store.access.forgetTokenUses(uses);
  };
  runLoop(app, { name: 'tokens', tick: storeUses });
  app.addHook('preClose', async () => {
    await storeUses().catch((error: Error) => app.log.warn({ err: error }, 'when tokens were used last was not stored'));
  });
});
