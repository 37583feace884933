import { Option, type Command } from 'commander';

import type { Role } from '../../../src/shared/domain/access.ts';
import { addJsonLinesOption, addOutputOption } from '../output-option.ts';
import { parseCount, parseExpiry, parseInstant } from '../parse-option.ts';

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
  const db = program.command('db').description('look after the database');

  databaseCommand(db, 'migrate')
    .description('bring the schema to this version')
    .action(async (options) => (await loadDatabase()).migrate(options));

  databaseCommand(db, 'status')
    .description('print migrations, connections and sizes; exit code 1 when migrations are pending')
    .action(async (options) => (await import('../../commands/db/status.ts')).showStatus(options));

  databaseCommand(db, 'backup')
    .description('copy an SQLite database while the service goes on')
    .argument('<file>', 'a new file for the copy')
    .action(async (file, options) => (await loadBackup()).backUp(file, options));

  databaseCommand(db, 'restore')
    .description('put a backup in the place of an SQLite database that nobody serves')
    .argument('<file>', 'the backup; what it replaces is kept beside it')
    .action(async (file, options) => (await loadBackup()).restore(file, options));

  databaseCommand(program, 'doctor')
    .description('examine a live installation; exit code 1 when a check fails')
    .option('--limit <count>', 'list at most this many executions that do not move', parseCount, 20)
    .action(async (options) => (await import('../../commands/doctor.ts')).runDoctor(options));

  const token = program.command('token').description('make and revoke API tokens');

  tokenCommand(token, 'create')
    .description('make a token and print it, this once')
    .requiredOption('--name <name>', 'what or whom it is for')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option(
      '--expires <duration>',
      'how long it is valid, such as 30d; never ends if omitted',
      parseExpiry,
    )
    .action(async (options) => (await loadToken()).createToken(options));

  tokenCommand(token, 'list')
    .description('list the tokens, without their secrets')
    .action(async (options) => (await loadToken()).listTokens(options));

  tokenCommand(token, 'revoke')
    .description('make a token invalid at once')
    .argument('<id>', 'token id, as listed')
    .action(async (id, options) => (await loadToken()).revokeToken(id, options));

  const memory = program.command('memory').description('look after vector memory');

  databaseCommand(memory, 'rotate-key')
    .description('seal all stored provider keys with the newest encryption key')
    .action(async (options) => (await loadMemory()).rotateKey(options));

  const audit = program.command('audit').description('prove and export the audit log');

  databaseCommand(audit, 'verify')
    .description('compare the audit log with its seals; exit code 1 when anything was changed')
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .option('--head <head>', 'a head printed before, which must still be part of the log')
    .action(async (options) => (await loadAudit()).verifyLog(options));

  addJsonLinesOption(databaseOptions(audit.command('export')))
    .description('print the audit log, one JSON document a line, oldest first')
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .option('--since <instant>', 'from this ISO 8601 instant on', parseInstant)
    .option('--until <instant>', 'up to this ISO 8601 instant, exclusive', parseInstant)
    .action(async (options) => (await loadAudit()).exportLog(options));
  tokenCommand(token, 'rotate')
    .description('put a new token in the place of one and print it, this once')
    .argument('<id>', 'token id, as listed')
    .option(
      '--grace <duration>',
      'how long the old one stays valid, such as 1h; ends at once if omitted',
      parseExpiry,
    )
    .action(async (id, options) => (await loadToken()).rotateToken(id, options));
}

function tokenCommand(parent: Command, name: string): Command {
  return databaseCommand(parent, name).option(
    '--tenant <tenant>',
    'tenant it belongs to',
    'default',
  );
}

export function databaseCommand(parent: Command, name: string): Command {
  return addOutputOption(databaseOptions(parent.command(name)));
}

function databaseOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: ./svc.toml when it is there)')
    .option('--database-url <url>', 'postgres://… or an SQLite file');
}
