import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a process by `--import die-at-start.ts?folder=…&times=…`: this many of its threads
 * die before they get a task.
 */

const { searchParams } = new URL(import.meta.url);
const folder = searchParams.get('folder') ?? '';
const times = Number(searchParams.get('times'));

if (!isMainThread) {
  for (let death = 0; death < times; death += 1) {
    if (isFirst(death)) throw new Error('this thread dies as it starts');
  }
}

function isFirst(death: number): boolean {
  try {
    writeFileSync(`${folder}/${death}`, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
