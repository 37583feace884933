import { Argument, type Command } from 'commander';

/** It covers the whole program, so it is declared last. */
export function declareCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(
      new Argument('<shell>', 'shell; the first lines of the script say how to load it').choices([
        'bash',
        'zsh',
        'fish',
      ]),
    )
    .action(async (shell) =>
      (await import('../../commands/completion.ts')).printCompletion(shell, program),
    );
}
