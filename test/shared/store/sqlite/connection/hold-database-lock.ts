import { lockDatabaseFile } from '../../../../../src/shared/store/sqlite/connection/process-lock.ts';

/**
 * A process that holds the lock of a file, reports it on standard output, and runs until it is
 * killed.
 */
lockDatabaseFile(process.argv[2] ?? '');
process.stdout.write('held\n');
setInterval(() => undefined, 60_000);
