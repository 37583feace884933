import { createCpuUse } from '../../../src/scheduler/pool/cpu-use.ts';
import type { TenantId } from '../../../src/shared/domain/ids.ts';
import { createThreads } from '../../../src/scheduler/pool/threads.ts';

/** Prints the outcomes of three tasks on two threads. */
const now = () => performance.now();
const caller = {
  tenantId: 'acme' as TenantId,
  signal: null,
  whenBusy: 'refused',
  cpuSecondsMax: null,
} as const;
const threads = createThreads({
  threadsMax: 2,
  tenantThreadsMax: 2,
  waitingMax: 8,
  tenantWaitingMax: 8,
  waitMsMax: 60_000,
  now,
  use: createCpuUse({ now }),
  taskMsMax: 10_000,
  idleMs: 1_000,
  memoryMiBMax: 64,
  onThreadError: () => undefined,
});
const file = new URL('./thread-tasks.ts', import.meta.url).href;
const tasks = ['tellEnvironment', 'tellEnvironment', 'tellEnvironment'].map((name) =>
  threads.run({ file, name, input: null, caller }),
);
const outcomes = await Promise.allSettled(tasks);
const lines = outcomes.map((one) => (one.status === 'fulfilled' ? 'done' : String(one.reason)));
process.stdout.write(JSON.stringify(lines));
await threads.close();
