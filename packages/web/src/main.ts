// The dashboard's entry.
import { createApp } from 'vue';
import App from './App.vue';
import { linkToken, router } from './router.ts';
import { session } from './state/session.ts';
import './style/base.css';
import './style/tables.css';
import './style/controls.css';
import './style/print.css';
import './style/stacks.css';

/** Who is asking decides what can be done, not what can be read. */
const maxWaitMs = 2000;

// The router loads the page's own files meanwhile.
const app = createApp(App).use(router);
await Promise.race([session.begin(linkToken), new Promise((done) => setTimeout(done, maxWaitMs))]);
app.mount('#app');
