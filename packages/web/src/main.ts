// The dashboard's entry.
import { createApp } from 'vue';
import App from './App.vue';
import { router } from './router.ts';
import { session } from './state/session.ts';
import './style/base.css';
import './style/controls.css';
import './style/print.css';

/** A link with #token=… signs in once: the token leaves the address, and with it this tab's history, before it is used. */
const [, token] = location.hash.match(/^#token=(.*)$/) ?? [];
if (token !== undefined) history.replaceState(null, '', '#/');

const started = token === undefined ? session.read() : session.signIn(decodeURIComponent(token).trim()).catch(() => session.read());
// Where that fails, what the page asks for fails as well, and is told.
await started.catch(() => {});
createApp(App).use(router).mount('#app');
