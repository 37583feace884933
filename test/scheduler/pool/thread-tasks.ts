import { threadId } from 'node:worker_threads';

/** Tasks for tests of the threads, run on them. */

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

export function spin(): never {
  for (;;);
}

export function hog(): number {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index));
}

export function fail(): never {
  throw new Error('the task itself failed');
}
