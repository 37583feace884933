import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CLONE = new URL('../../console/', import.meta.url);
const PACKAGE = new URL('../../dist/console', import.meta.url);

/** The folder with the console's build: a clone has its own, the package the one that it came with. */
export const CONSOLE_FOLDER = fileURLToPath(
  existsSync(new URL('index.html', CLONE)) ? new URL('dist', CLONE) : PACKAGE,
);
