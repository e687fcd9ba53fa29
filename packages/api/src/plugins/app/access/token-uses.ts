// Stores when tokens and public links were last used: a loop does, since reading writes nothing.
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';

export default fp(async (app) => {
  const { store } = app;
  const storeUses = async () => {
    const uses = await store.access.unstoredTokenUses();
    if (uses.length > 0) {
      await store.access.storeTokenUses(uses);
      await store.access.forgetTokenUses(uses);
    }
    const ofLinks = await store.publicLinks.unstoredUses();
    if (ofLinks.length === 0) return;
    await store.publicLinks.storeUses(ofLinks);
    await store.publicLinks.forgetUses(ofLinks);
  };
  runLoop(app, { name: 'tokens', tick: storeUses });
  app.addHook('preClose', async () => {
    await storeUses().catch((error: Error) => app.log.warn({ err: error }, 'when tokens and links were used last was not stored'));
  });
});
