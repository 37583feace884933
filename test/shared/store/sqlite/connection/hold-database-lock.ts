import { lockDatabaseFile } from '../../../../../src/shared/store/sqlite/connection/process-lock.ts';

/** A process that serves a file: says so on standard output and lives until it is killed. */
lockDatabaseFile(process.argv[2] ?? '');
process.stdout.write('held\n');
setInterval(() => undefined, 60_000);
