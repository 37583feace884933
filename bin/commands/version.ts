import { readVersion } from '../../src/runtime/version.ts';

export function showVersion(options: { readonly output: 'table' | 'json' }): void {
  const version = readVersion();
  const text =
    options.output === 'json' ? JSON.stringify({ version, node: process.versions.node }) : version;
  process.stdout.write(`${text}\n`);
}
