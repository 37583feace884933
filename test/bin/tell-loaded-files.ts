import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/* Given to Node by `--import`: adds the URL of each file that is loaded to the file `LOADED_FILES`. */

const file = process.env['LOADED_FILES'] ?? '';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
