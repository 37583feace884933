import type { Config } from '../../src/shared/config/config.ts';
import type { Logger } from '../../src/shared/telemetry/log.ts';

/** One warning at the start of a process that serves, with the names that were probably meant. */
export async function warnOfUnknownVariables(params: {
  readonly log: Logger;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<void> {
  const { log, config, env } = params;
  if (!Object.keys(env).some((name) => name.startsWith('SVC_'))) return;
  const { findUnknownVariables, tellUnknownVariables } =
    await import('../../src/shared/config/unknown-variables.ts');
  const unknown = findUnknownVariables(env, config);
  const told = tellUnknownVariables(unknown);
  if (told !== null) log.warn({ variables: unknown.map(({ name }) => name) }, told);
}
