import type { Config } from '../../src/shared/config/config.ts';
import {
  findUnknownVariables,
  tellUnknownVariables,
} from '../../src/shared/config/unknown-variables.ts';
import type { Logger } from '../../src/shared/telemetry/log.ts';

/** One warning at the start of a process that serves, with the names that were probably meant. */
export function warnOfUnknownVariables(params: {
  readonly log: Logger;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
}): void {
  const unknown = findUnknownVariables(params.env, params.config);
  const told = tellUnknownVariables(unknown);
  if (told !== null) params.log.warn({ variables: unknown.map(({ name }) => name) }, told);
}
