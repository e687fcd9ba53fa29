// The dashboard's entry.
import { createApp } from 'vue';
import App from './App.vue';
import { router } from './router.ts';
import { linkToken } from './state/link-token.ts';
import './state/missing-part.ts'; // before the first of them is asked for
import { session } from './state/session.ts';
import './style/base.css';
import './style/tables.css';
import './style/controls.css';
import './style/print.css';
import './style/stacks.css';

/** In milliseconds. Who is asking decides what can be done, not what can be read. */
const longestWait = 2000;

// With the router the page's own files are loaded meanwhile.
const app = createApp(App).use(router);
await Promise.race([session.begin(linkToken), new Promise((done) => setTimeout(done, longestWait))]);
app.mount('#app');
