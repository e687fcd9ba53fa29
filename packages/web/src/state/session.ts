// Who is asking: known from the service, kept by a cookie that scripts can't read.
import type { Role, Session } from '@pronghorn/core/schemas';
import { computed, reactive, readonly } from 'vue';
import { ask, mayPass, whenSignedOut } from '../service/ask.ts';

const ranks: readonly Role[] = ['viewer', 'submitter', 'admin'];
const state = reactive<{ current: Session | null; wasKnown: boolean; mustSignIn: boolean; refused: string }>({
  current: null,
  wasKnown: false,
  mustSignIn: false,
  refused: '',
});

export const session = {
  state: readonly(state),
  /** True: the reader must sign in to see anything. */
  mustSignIn: computed(() => state.mustSignIn),

  /** True if the reader has the rights of the role; false until that is known. */
  may(role: 'viewer' | 'submitter' | 'admin'): boolean {
    const own = state.current?.role ?? null;
    return own !== null && ranks.indexOf(own) >= ranks.indexOf(role);
  },
  /** Signs in by a link's token if there is one, and asks until the service says who is asking. */
  async begin(linkToken: string | undefined): Promise<void> {
    if (linkToken !== undefined) await session.signInByLink(linkToken).catch(() => {});
    for (let waitMs = 1000; state.current === null; waitMs = Math.min(2 * waitMs, 30_000)) {
      try {
        await session.read();
      } catch (error) {
        if (!mayPass(error)) return;
        await new Promise((done) => setTimeout(done, waitMs));
      }
    }
  },
  async read(): Promise<void> {
    know(await ask('GET /session'));
  },
  /** @throws ApiDenied when the token is not known. */
  async signIn(token: string): Promise<void> {
    know(await ask('POST /session', { body: { token } }));
  },
  /** As signIn, with the token of a link: where that is refused, the form to sign in says why. @throws ApiUnavailable */
  async signInByLink(token: string): Promise<void> {
    await session.signIn(token).catch(async (error: Error) => {
      state.refused = error.message;
      await session.read();
    });
  },
  /** @throws ApiUnavailable when the request failed: the reader may still be signed in. */
  async signOut(): Promise<void> {
    await ask('DELETE /session');
    state.wasKnown = false;
    await session.read();
  },
  /** The service no longer knows the reader. */
  lose(): void {
    state.wasKnown ||= (state.current?.name ?? null) !== null;
    if (state.current) state.current = { ...state.current, role: null, name: null };
    state.mustSignIn = true;
  },
};

whenSignedOut(session.lose);

function know(current: Session): void {
  state.current = current;
  state.mustSignIn = current.access === 'tokens' && current.role === null;
}
