import type { Command } from 'commander';

import { loadConfig } from '../../src/shared/config/load.ts';
import {
  findUnknownVariables,
  tellUnknownVariables,
} from '../../src/shared/config/unknown-variables.ts';
import { printNote } from '../cli/output.ts';

/**
 * Says on stderr which variables `SVC_…` nothing reads. A command that takes no configuration file
 * does not see which secrets that of the service allows, so it names only those that look misspelt.
 */
export function noteUnknownVariables(command: Command): void {
  const { env } = process;
  if (findUnknownVariables(env, null).length === 0) return;
  const configFile = command.opts()['config'] as string | undefined;
  const loaded = loadConfig({ flags: {}, env, configFile, cwd: process.cwd(), mode: 'serve' });
  const takesFile = command.options.some((option) => option.long === '--config');
  const unknown = findUnknownVariables(env, loaded.ok ? loaded.config : null);
  const told = tellUnknownVariables(unknown.filter(({ meant }) => takesFile || meant !== null));
  if (told !== null) printNote(`warning: ${told}`);
}
