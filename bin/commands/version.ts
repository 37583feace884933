import { readVersion } from '../../src/runtime/version.ts';
import { printLine, printStreamed, type OutputFormat } from '../cli/output.ts';

export function showVersion(options: { readonly output: OutputFormat }): void {
  const version = readVersion();
  if (options.output === 'json') printStreamed({ version, node: process.versions.node });
  else printLine(version);
}
