import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/*
 * Loaded with `--import`: adds the name of each package to the file `LOADED_PACKAGES` when its
 * first module loads.
 */

const PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
/** Modules of ours that few processes need. */
const OWN = /telemetry\/tracing(?=\/)/;
/** Reads one file, and imports no other module of ours. */
const VERSION = /\/src\/runtime\/version\.[jt]s$/;
const file = process.env['LOADED_PACKAGES'] ?? '';
const told = new Set<string>();
registerHooks({
  load(url, context, next) {
    const name =
      PACKAGE.exec(url)?.[1] ??
      (url.includes('/src/') && !VERSION.test(url) ? (OWN.exec(url)?.[0] ?? 'src') : null);
    if (name !== null && !told.has(name)) {
      told.add(name);
      appendFileSync(file, `${name}\n`);
    }
    return next(url, context);
  },
});
