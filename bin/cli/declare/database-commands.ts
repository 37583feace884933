import { Option, type Command } from 'commander';

import type { Role } from '../../../src/shared/domain/access.ts';
import { addJsonLinesOption, addOutputOption } from '../output-option.ts';
import { parseCount, parseExpiry, parseInstant, parseKept } from '../parse-option.ts';

/** Written out, so that a command that needs no role loads nothing of the runtime. */
const ROLES = [
  'operator',
  'developer',
  'reviewer',
  'viewer',
  'worker',
] as const satisfies readonly Role[];

const loadDatabase = () => import('../../commands/db/db.ts');
const loadBackup = () => import('../../commands/db/backup.ts');
const loadAudit = () => import('../../commands/audit.ts');
const loadToken = () => import('../../commands/token.ts');
const loadMemory = () => import('../../commands/memory.ts');

/** Commands that work on the database itself, whether a runtime is running or not. */
export function declareDatabaseCommands(program: Command): void {
  const db = program.command('db').description('migrate, inspect and back up the database');

  databaseCommand(db, 'migrate')
    .description('migrate the schema to this version')
    .action(async (options) => (await loadDatabase()).migrate(options));

  databaseCommand(db, 'status')
    .description('print migrations, connections and sizes; exit code 1 if migrations are pending')
    .action(async (options) => (await import('../../commands/db/status.ts')).showStatus(options));

  databaseCommand(db, 'backup')
    .description('back up an SQLite database while the service runs')
    .argument('<file>', 'new file for the backup; with --every a folder')
    .option('--every <interval>', 'back up again and again, such as 15m', parseExpiry)
    .option('--keep <count>', 'with --every: keep the newest backups; 24 if omitted', parseKept)
    .action(async (file, options) => (await loadBackup()).backUp(file, options));

  databaseCommand(db, 'restore')
    .description('replace an SQLite database that no process serves with a backup')
    .argument('<file>', 'backup; the replaced database is kept beside it')
    .action(async (file, options) => (await loadBackup()).restore(file, options));

  databaseCommand(program, 'doctor')
    .description('check an installation; exit code 1 if a check fails')
    .option('--limit <count>', 'list at most this many stuck executions', parseCount, 20)
    .action(async (options) => (await import('../../commands/doctor.ts')).runDoctor(options));

  const token = program.command('token').description('create, rotate and revoke API tokens');

  tokenCommand(token, 'create')
    .description('create a token and print it once')
    .requiredOption('--name <name>', 'purpose or owner of the token')
    .addOption(
      new Option('--role <role>', 'permissions of the token').choices(ROLES).makeOptionMandatory(),
    )
    .option('--expires <duration>', 'validity, such as 30d; unlimited if omitted', parseExpiry)
    .action(async (options) => (await loadToken()).createToken(options));

  tokenCommand(token, 'list')
    .description('list the tokens, without their secrets')
    .action(async (options) => (await loadToken()).listTokens(options));

  tokenCommand(token, 'revoke')
    .description('revoke a token immediately')
    .argument('<id>', 'token id, as listed')
    .action(async (id, options) => (await loadToken()).revokeToken(id, options));

  const memory = program.command('memory').description('manage the keys of vector memory');

  databaseCommand(memory, 'rotate-key')
    .description('encrypt all stored provider keys with the newest encryption key')
    .action(async (options) => (await loadMemory()).rotateKey(options));

  const audit = program.command('audit').description('verify and export the audit log');

  databaseCommand(audit, 'verify')
    .description('verify the audit log against its seals; exit code 1 if it was changed')
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .option('--head <head>', 'head from an earlier run, which the log must still contain')
    .action(async (options) => (await loadAudit()).verifyLog(options));

  addJsonLinesOption(databaseOptions(audit.command('export')))
    .description('print the audit log, one JSON document a line, oldest first')
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .option('--since <instant>', 'only entries at or after this ISO 8601 instant', parseInstant)
    .option('--until <instant>', 'only entries before this ISO 8601 instant', parseInstant)
    .action(async (options) => (await loadAudit()).exportLog(options));
  tokenCommand(token, 'rotate')
    .description('replace a token and print the new one once')
    .argument('<id>', 'token id, as listed')
    .option(
      '--grace <duration>',
      'how long the old token stays valid, such as 1h; not at all if omitted',
      parseExpiry,
    )
    .action(async (id, options) => (await loadToken()).rotateToken(id, options));
}

function tokenCommand(parent: Command, name: string): Command {
  return databaseCommand(parent, name).option(
    '--tenant <tenant>',
    'tenant of the token',
    'default',
  );
}

export function databaseCommand(parent: Command, name: string): Command {
  return addOutputOption(databaseOptions(parent.command(name)));
}

function databaseOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: ./svc.toml if it exists)')
    .option('--database-url <url>', 'postgres://… or an SQLite file');
}
