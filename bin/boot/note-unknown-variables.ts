import { loadConfig } from '../../src/shared/config/load.ts';
import {
  findUnknownVariables,
  tellUnknownVariables,
} from '../../src/shared/config/unknown-variables.ts';
import { printNote } from '../cli/output.ts';

/** Says on stderr which variables `SVC_…` nothing reads. Most commands read no configuration otherwise. */
export function noteUnknownVariables(configFile: string | undefined): void {
  const { env } = process;
  if (findUnknownVariables(env, null).length === 0) return;
  const loaded = loadConfig({ flags: {}, env, configFile, cwd: process.cwd(), mode: 'serve' });
  const told = tellUnknownVariables(findUnknownVariables(env, loaded.ok ? loaded.config : null));
  if (told !== null) printNote(`warning: ${told}`);
}
