// All charts on one page, drawn of a campaign in the service that serves it: for their tests, and to look at them.
import { createApp, h, Suspense } from 'vue';
import '../../src/style/base.css';
import '../../src/style/tables.css';
import '../../src/style/controls.css';
import '../../src/style/print.css';
import ChartsPage from './ChartsPage.vue';

createApp({ render: () => h(Suspense, () => h(ChartsPage)) }).mount('#app');
