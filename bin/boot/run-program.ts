import { CommanderError, type Command } from 'commander';

import { EXIT } from '../cli/exit-code.ts';
import { reportError } from '../cli/report-error.ts';
import { endOnClosedPipe } from './end-on-closed-pipe.ts';

/**
 * Parses the command line and runs what it names. Never rejects: the outcome is the process's exit
 * code, which takes effect when nothing keeps the process alive any more, so output is not cut off.
 */
export async function runProgram(program: Command): Promise<void> {
  endOnClosedPipe();
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? usageCode(error) : reportError(error);
  }
}

/** Commander has written its message already; asking for help or the version is no mistake. */
function usageCode(error: CommanderError): number {
  return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
}
