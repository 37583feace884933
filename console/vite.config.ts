import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The service that `npm run dev` forwards the API's requests to. */
const API = process.env.SVC_URL ?? 'http://127.0.0.1:7700';

/** Vite serves the page at every depth as it is; the service writes the base for each depth. */
const baseAtRoot: Plugin = {
  name: 'base-at-root',
  apply: 'serve',
  transformIndexHtml: (html) => html.replace('<base href="./" />', '<base href="/" />'),
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses: the page's <base> says where the console is, behind any path prefix.
  base: './',
  plugins: [react(), baseAtRoot],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: false,
    // The content security policy allows no data: addresses of scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // ELK is one file of 1.4 MB; only the graph's worker loads it.
    chunkSizeWarningLimit: 1_600,
  },
  worker: { format: 'es' },
  server: {
    host: '127.0.0.1',
    port: 5173,
    // The page is at the root here. `Host` stays the page's, which the API compares with `Origin`.
    proxy: { '/api/': { target: API, rewrite: (path) => `/console${path}` } },
  },
});
