import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev` forwards the API's requests to. */
const API = process.env.SVC_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses: the page's <base> says where the console is, behind any path prefix.
  base: './',
  plugins: [react()],
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
    proxy: { '/console/api': { target: API, changeOrigin: true } },
  },
});
