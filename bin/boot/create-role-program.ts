import { Command } from 'commander';

import type { ServeOptions } from '../commands/serve.ts';
import { serveOptions } from '../cli/declare/runtime-commands.ts';
import { readVersion } from '../../src/runtime/version.ts';

/** The command line of a process with one role; the same as `svc serve --role <role>`. */
export function createRoleProgram(role: 'api' | 'scheduler'): Command {
  const program = new Command(`svc-${role}`)
    .description(`Runs the ${role} of svc; the same as: svc serve --role ${role}`)
    .version(readVersion(), '-V, --version', 'print the version')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride();
  return serveOptions(program).action(async (options: Omit<ServeOptions, 'role'>) => {
    const { runServe } = await import('../commands/serve.ts');
    return runServe({ ...options, role });
  });
}
