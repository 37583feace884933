import { Option, type Command } from 'commander';

import type { EvalOptions } from '../../commands/eval/run.ts';
import { tokenOption } from './client-commands.ts';
import { addOutputOrFileOption } from '../output-option.ts';
import { parseCount, parseShare } from '../parse-option.ts';

/** Commands that evaluate workflows on data sets (see docs/guides/evaluation.md). */
export function declareEvalCommands(program: Command): void {
  const evaluate = program.command('eval').description('evaluate workflows on data sets');

  addOutputOrFileOption(evaluate.command('run'))
    .description('run each case of a data set and score the results')
    .addOption(
      new Option('--url <url>', 'run on this runtime instead of inside the command').env('SVC_URL'),
    )
    .addOption(tokenOption())
    .argument('<file>', 'description in YAML, JSON or TOML; or a data set (.jsonl, .csv)')
    .option('--workflow <workflow>', 'workflow id, or file of a definition')
    .option('--version <label>', 'this version instead of the latest registered one')
    .option('--check <expression...>', 'expressions that must hold, such as "output.n == expected"')
    .option('--concurrency <count>', 'executions at a time (default: 4)', parseCount)
    .option('--limit <count>', 'run only the first cases, this many', parseCount)
    .option('--threshold <share>', 'minimum share of cases that must pass (default: 1)', parseShare)
    .option('--compare <report>', 'compare the results with an earlier report')
    .option('--report <file>', 'write the report to this file')
    .action(async (file: string, options: EvalOptions) => {
      const { runEvaluation } = await import('../../commands/eval/run.ts');
      return runEvaluation(file, options);
    });
}
