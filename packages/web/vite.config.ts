// How the dashboard is built; build/dashboard.ts does it when it is needed.
import vue from '@vitejs/plugin-vue';
import { defineConfig, type Plugin } from 'vite';

/** Of many small files each costs a request: what nearly every page needs comes with the entry, what most charts need in one more. */
const fewFiles = [
  { name: 'frame', tags: ['$initial' as const], priority: 3 },
  {
    name: 'parts',
    test: /\/src\/(?!charts\/|parts\/(?:forms|results)\/)|\/charts\/frame\/(?:ProtocolMark|palette)|\/charts\/axis\/scale|plugin-vue/,
    minShareCount: 4,
    priority: 2,
  },
  {
    name: 'small',
    test: /\/web\/src\/(?:parts\/[^/]+\.vue|text\/|parts\/live\/live-campaign)|\/(?:progressive-mount|filmstrip)\.ts|\/core\/src\/(?:text|vocabulary|shell)/,
    minShareCount: 2,
    priority: 1.5,
  },
  { name: 'results', test: /\/src\/parts\/results\//, minShareCount: 2, priority: 1 },
  { name: 'forms', test: /\/src\/parts\/forms\//, minShareCount: 2, priority: 1 },
  { name: 'charts', test: /\/src\/charts\/(?!frame\/(?:chart-js|palette)|axis\/scale)/, minShareCount: 2, priority: 1 },
];

export default defineConfig({
  plugins: [vue(), whileItIsWorkedOn()],
  base: './', // behind any prefix of a proxy
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: { groups: fewFiles } } },
  },
  define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false' },
  // For whoever works on the dashboard: `pnpm dev` in this folder, beside `./pronghorn serve --open`.
  server: { proxy: { '/api': apiOrigin(), '/docs': apiOrigin() } },
});

function apiOrigin(): string {
  return process.env.PRONGHORN_API ?? 'http://127.0.0.1:8080';
}

/** Vite changes styles in place by writing them into the page, which what is built never does and forbids. */
function whileItIsWorkedOn(): Plugin {
  return {
    name: 'inline-styles',
    apply: 'serve',
    transformIndexHtml: (html) => html.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
  };
}
