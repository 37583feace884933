import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Sets the clocks of single processes, through libfaketime of the package `faketime`. Timers do not
 * notice: the monotonic clock continues unchanged, as on a real machine. One process of each kind
 * always keeps the true time.
 */

const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (platform) => `/usr/lib/${platform}/faketime/libfaketime.so.1`,
);
const CHANGEABLE = ['api-2', 'scheduler-2', 'worker-4'];

export interface Clocks {
  readonly changeable: readonly string[];
  environmentOf(member: string): Readonly<Record<string, string>>;
  /** Sets the clock ahead of the machine's, or behind it when negative. */
  set(member: string, aheadSeconds: number): void;
}

export function findFaketime(): string | null {
  return LIBRARIES.find((path) => existsSync(path)) ?? null;
}

export function createClocks(folder: string): Clocks {
  const library = findFaketime();
  const changeable = library === null ? [] : CHANGEABLE;
  const fileOf = (member: string): string => join(folder, `${member}.clock`);
  const set = (member: string, aheadSeconds: number): void =>
    writeFileSync(fileOf(member), `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}\n`);
  for (const member of changeable) set(member, 0);
  return {
    changeable,
    set,
    environmentOf(member) {
      if (library === null || !changeable.includes(member)) return {};
      return {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: fileOf(member),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      };
    },
  };
}
