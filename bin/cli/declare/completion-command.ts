import { Argument, type Command } from 'commander';

/** Of the whole program, so it is declared last. */
export function declareCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print what makes a shell complete commands and options')
    .addArgument(
      new Argument('<shell>', 'the shell; the first lines printed say how to load it').choices([
        'bash',
        'zsh',
        'fish',
      ]),
    )
    .action(async (shell) =>
      (await import('../../commands/completion.ts')).printCompletion(shell, program),
    );
}
