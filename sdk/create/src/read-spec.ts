import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** A source of a package for npm. npm reads a relative path from the folder of the project. */
export function readSpec(spec: string): string {
  return /^\.{1,2}\/|\.tgz$/.test(spec) && existsSync(spec) ? resolve(spec) : spec;
}
