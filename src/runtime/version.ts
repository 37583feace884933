import { readFileSync } from 'node:fs';

/** The package's version. The built tree carries its own copy of package.json at the same place. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}
