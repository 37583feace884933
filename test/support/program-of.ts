import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Entry = 'svc' | 'svc-api' | 'svc-scheduler';

/** The variable with the folder of the build that the tests of this run start. */
export const BUILD = 'TEST_BUILD';

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));

/**
 * The path of a program: of the build, which starts in half the processor time, or of the sources where
 * this run has no build. Node options of a test look at the sources or change what they import, so
 * such a process runs them.
 */
export function programOf(entry: Entry, env: Readonly<Record<string, string>> = {}): string {
  const build = process.env[BUILD];
  return build === undefined || env['NODE_OPTIONS'] !== undefined
    ? join(BIN, `${entry}.ts`)
    : join(build, `${entry}.js`);
}
