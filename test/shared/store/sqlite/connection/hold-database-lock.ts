import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { lockDatabaseFile } from '../../../../../src/shared/store/sqlite/connection/process-lock.ts';

/**
 * A process that holds the lock of a file, reports it on standard output, and runs until it is
 * killed. Nobody refers to the lock, and the garbage is collected.
 */
lockDatabaseFile(process.argv[2] ?? '');
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setInterval(() => undefined, 60_000);
setImmediate(() => {
  collect();
  setImmediate(() => process.stdout.write('held\n'));
});
