// The dashboard's entry.
import { createApp } from 'vue';
import App from './App.vue';
import { router } from './router.ts';
import { linkToken } from './state/link-token.ts';
import { session } from './state/session.ts';
import './style/base.css';
import './style/controls.css';
import './style/print.css';
import './style/stacks.css';

const started = linkToken === undefined ? session.read() : session.signInByLink(linkToken);
// Where that fails, what the page asks for fails as well, and is told.
await started.catch(() => {});
createApp(App).use(router).mount('#app');
