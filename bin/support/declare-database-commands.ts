import { Option, type Command } from 'commander';

import { outputOption } from './output-option.ts';
import { parseExpiry } from './parse-option.ts';

const loadDatabase = () => import('../commands/db.ts');
const loadToken = () => import('../commands/token.ts');
const loadMemory = () => import('../commands/memory.ts');

/** Commands that work on the database itself, whether a runtime is running or not. */
export function declareDatabaseCommands(program: Command): void {
  const db = program.command('db').description('look after the database');

  databaseCommand(db, 'migrate')
    .description('bring the schema to this version')
    .action(async (options) => (await loadDatabase()).migrate(options));

  databaseCommand(db, 'status')
    .description('print which migrations are applied; exit code 1 when some are not')
    .action(async (options) => (await loadDatabase()).showStatus(options));

  const token = program.command('token').description('make and revoke API tokens');

  tokenCommand(token, 'create')
    .description('make a token and print it, this once')
    .requiredOption('--name <name>', 'what or whom it is for')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['operator', 'developer', 'reviewer', 'viewer'])
        .makeOptionMandatory(),
    )
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
}

function tokenCommand(parent: Command, name: string): Command {
  return databaseCommand(parent, name).option(
    '--tenant <tenant>',
    'tenant it belongs to',
    'default',
  );
}

function databaseCommand(parent: Command, name: string): Command {
  return parent
    .command(name)
    .option('--config <file>', 'configuration file (default: ./svc.toml when it is there)')
    .option('--database-url <url>', 'postgres://… or an SQLite file')
    .addOption(outputOption());
}
