// The dashboard's entry.
import { createApp } from 'vue';
import App from './App.vue';
import { router } from './router.ts';
import { linkToken } from './state/link-token.ts';
import { session } from './state/session.ts';
import './style/base.css';
import './style/tables.css';
import './style/controls.css';
import './style/print.css';
import './style/stacks.css';

const started = linkToken === undefined ? session.read() : session.signInByLink(linkToken);
// With the router the page's own files are loaded meanwhile.
const app = createApp(App).use(router);
// Where that fails, what the page asks for fails as well, and is told.
await started.catch(() => {});
app.mount('#app');
