import { fileURLToPath } from 'node:url';

/** The console's build. The package has it at the same place as the clone. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist', import.meta.url));
