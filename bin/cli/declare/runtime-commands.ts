import { Option, type Command } from 'commander';

import { addOutputOption } from '../output-option.ts';
import { parseCount } from '../parse-option.ts';

/** Commands that run the service, and those that need neither a runtime nor a database. */
export function declareRuntimeCommands(program: Command): void {
  runtimeOptions(program.command('dev'))
    .description('run all of svc on an SQLite file, without authentication; for development only')
    .option(
      '--run <command>',
      'also run this shell command, with SVC_URL set, until svc stops (repeatable)',
      (command: string, before?: readonly string[]) => [...(before ?? []), command],
    )
    .action(async (options) => (await import('../../commands/dev.ts')).runDev(options));

  serveOptions(program.command('serve'))
    .description('run the service')
    .addOption(
      new Option('--role <role>', 'part of the service to run')
        .choices(['api', 'scheduler', 'all'])
        .default('all'),
    )
    .action(async (options) => (await import('../../commands/serve.ts')).runServe(options));

  addOutputOption(program.command('validate'))
    .description('check workflow definitions offline; exit code 1 if one is invalid')
    .argument('<file>', 'JSON, YAML, TypeScript or JavaScript file; -: stdin')
    .option('--strict', 'treat warnings as errors')
    .action(async (file, options) =>
      (await import('../../commands/validate.ts')).validateFile(file, options),
    );

  const config = program.command('config').description('inspect the configuration');

  addOutputOption(config.command('show'))
    .description('print every setting; secrets are masked')
    .option('--origin', 'show the source of each value')
    .option('--dev', 'use the defaults of "svc dev"')
    .option('--config <file>', 'configuration file (default: ./svc.toml if it exists)')
    .action(async (options) => (await import('../../commands/config-show.ts')).showConfig(options));

  const auth = program.command('auth').description('inspect permissions');

  addOutputOption(auth.command('matrix'))
    .description('print which role may use which route of the API')
    .action(async (options) => (await import('../../commands/auth-matrix.ts')).showMatrix(options));

  addOutputOption(program.command('version'))
    .description('print the version')
    .action(async (options) => (await import('../../commands/version.ts')).showVersion(options));
}

/** The options of `svc serve`, `svc-api` and `svc-scheduler`. */
export function serveOptions(command: Command): Command {
  return runtimeOptions(command)
    .option('--public-url <url>', 'public URL of the API')
    .option(
      '--database-wait <seconds>',
      'how long to wait for the database at startup',
      parseCount,
      60,
    );
}

function runtimeOptions(command: Command): Command {
  return command
    .option('--port <port>', 'HTTP port; 0: any free one')
    .option('--bind <address>', 'address to listen on')
    .option('--config <file>', 'configuration file (default: ./svc.toml if it exists)')
    .option('--database-url <url>', 'postgres://… or an SQLite file')
    .option('--log-level <level>', 'minimum severity of log lines')
    .option('--log-format <format>', 'json or pretty');
}
