import { describeConfig } from '../../src/shared/config/describe-config.ts';
import { printJson, type OutputFormat } from '../cli/output.ts';
import { printTable } from '../cli/print-table.ts';
import { readConfig, type ConfigOptions } from '../boot/read-config.ts';

/** Prints what `svc serve` would run with, here and now. */
export async function showConfig(
  options: ConfigOptions & {
    readonly origin?: boolean;
    readonly dev?: boolean;
    readonly output: OutputFormat;
  },
): Promise<void> {
  const { config, origins } = readConfig(options, options.dev === true ? 'dev' : 'serve');
  const lines = describeConfig(config, origins);
  const withOrigin = options.origin === true;
  if (options.output === 'json') {
    return printJson(
      Object.fromEntries(
        lines.map(({ key, value, origin }) => [key, withOrigin ? { value, origin } : value]),
      ),
    );
  }
  printTable({
    head: ['KEY', 'VALUE', ...(withOrigin ? ['ORIGIN'] : [])],
    rows: lines.map(({ key, value, origin }) => [key, value, ...(withOrigin ? [origin] : [])]),
  });
}
