// How the dashboard is built; build/dashboard.ts does it when it is needed.
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [vue()],
  base: './', // behind any prefix of a proxy
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false' },
  // For whoever works on the dashboard: `pnpm vite` in this folder, beside `./pronghorn serve --open`.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
