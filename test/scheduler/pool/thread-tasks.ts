import { threadId } from 'node:worker_threads';

import { announceStart } from '../../../src/scheduler/pool/tasks/announce-start.ts';

/** Tasks for tests of the threads, which run them. */

export function tellThread(): number {
  return threadId;
}

export function tellEnvironment(): readonly string[] {
  return Object.keys(process.env);
}

/** Ends the thread, not the process. */
export function die(): never {
  process.exit(1);
}

/** Announces its start like real tasks, so its time limit counts from there. */
export const spin = announceStart((): never => {
  for (;;);
});

export function hog(): number {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index));
}

export function fail(): never {
  throw new Error('the task itself failed');
}
