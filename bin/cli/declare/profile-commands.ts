import { Option, type Command } from 'commander';

import { DEFAULT_URL } from '../default-url.ts';
import { addOutputOption } from '../output-option.ts';

const load = () => import('../../commands/profiles/context.ts');

/** Contexts: the runtimes that a user works with, each with its token. */
export function declareProfileCommands(program: Command): void {
  addOutputOption(program.command('login'))
    .description('check a token and keep it as a context')
    .argument('[name]', 'name of the context', 'default')
    .addOption(
      new Option('--url <url>', 'address of the runtime').env('SVC_URL').default(DEFAULT_URL),
    )
    .option('--token-stdin', 'read the token from stdin instead of asking')
    .action(async (name, options) =>
      (await import('../../commands/profiles/login.ts')).login(name, {
        token: process.env['SVC_TOKEN'],
        ...options,
      }),
    );

  const context = program.command('context').description('choose the runtime that commands use');

  addOutputOption(context.command('list'))
    .description('list contexts')
    .action(async (options) => (await load()).listContexts(options));

  addOutputOption(context.command('show'))
    .description('print the context in use, or another')
    .argument('[context]', 'name of the context')
    .action(async (name, options) => (await load()).showContext(name, options));

  addOutputOption(context.command('use'))
    .description('use a context from now on')
    .argument('<context>', 'name of the context')
    .action(async (name, options) => (await load()).useContext(name, options));

  addOutputOption(context.command('remove'))
    .description('remove a context with its token')
    .argument('<context>', 'name of the context')
    .action(async (name, options) => (await load()).removeContext(name, options));
}
