import { createThreads } from '../../../src/scheduler/pool/threads.ts';

/** Prints what became of three tasks on two threads. */
const threads = createThreads({
  threadsMax: 2,
  waitingMax: 8,
  taskMsMax: 10_000,
  idleMs: 1_000,
  memoryMiBMax: 64,
  onThreadError: () => undefined,
});
const file = new URL('./thread-tasks.ts', import.meta.url).href;
const tasks = ['tellEnvironment', 'tellEnvironment', 'tellEnvironment'].map((name) =>
  threads.run({ file, name, input: null }),
);
const outcomes = await Promise.allSettled(tasks);
const lines = outcomes.map((one) => (one.status === 'fulfilled' ? 'done' : String(one.reason)));
process.stdout.write(JSON.stringify(lines));
await threads.close();
