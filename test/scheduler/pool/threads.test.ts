import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { threadId } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import type { TenantId } from '../../../src/shared/domain/ids.ts';
import { SvcError } from '../../../src/shared/domain/errors.ts';
import { createThreads, TaskLimitError } from '../../../src/scheduler/pool/threads.ts';
import { createCpuUse } from '../../../src/scheduler/pool/cpu-use.ts';
import { type LimitedCaller, TurnRefusedError } from '../../../src/scheduler/pool/turns.ts';
import type { Threads } from '../../../src/scheduler/pool/threads.ts';

const now = () => performance.now();
const FILE = new URL('./thread-tasks.ts', import.meta.url).href;

test('a task runs on a thread of its own, without the environment of the process', async (t) => {
  const threads = create(t);
  t.not(await run(threads, 'tellThread'), threadId);
  t.deepEqual(await run(threads, 'tellEnvironment'), []);
});

test('no thread is started before there is a task, and one serves many', async (t) => {
  const threads = create(t);
  t.is(threads.use().threads, 0);
  const ids = [await run(threads, 'tellThread'), await run(threads, 'tellThread')];
  t.is(ids[0], ids[1]);
  t.is(threads.use().threads, 1);
});

test('after a thread has died the next task runs on a new one', async (t) => {
  const threads = create(t);
  const first = await run(threads, 'tellThread');
  await t.throwsAsync(run(threads, 'die'), { message: /exited/ });
  const second = await run(threads, 'tellThread');
  t.is(typeof second, 'number');
  t.not(second, first);
});

test('a task whose thread died as it started runs on another', async (t) => {
  t.deepEqual(await runTasks(t, { deaths: 2 }), ['done', 'done', 'done']);
});

test('503: tasks for which no thread starts are given up, not waited for', async (t) => {
  const outcomes = await runTasks(t, { deaths: 100 });
  for (const outcome of outcomes) t.regex(outcome, /no worker thread/);
});

test('a task that takes too long is cut off, and those waiting behind it still run', async (t) => {
  const threads = create(t, { taskMsMax: 1500 });
  const startedAt = now();
  const spinning = run(threads, 'spin');
  const behind = run(threads, 'tellThread');
  t.is(threads.use().waiting, 1);
  const error = await t.throwsAsync(spinning, { instanceOf: TaskLimitError });
  t.is(error?.limit, 'time');
  // The pool also aborts a task that never begins, after a minute.
  t.true(now() - startedAt < 50_000);
  t.is(typeof (await behind), 'number');
});

test('a task that takes too much memory ends its thread only', async (t) => {
  const threads = create(t, { memoryMiBMax: 32 });
  const error = await t.throwsAsync(run(threads, 'hog'), { instanceOf: TaskLimitError });
  t.is(error?.limit, 'memory');
  t.is(typeof (await run(threads, 'tellThread')), 'number');
});

test('a task whose caller has gone is broken off, and its thread serves the next', async (t) => {
  const threads = create(t);
  const gone = new AbortController();
  const spinning = run(threads, 'spin', { signal: gone.signal });
  const behind = run(threads, 'tellThread');
  gone.abort();
  const error = await t.throwsAsync(spinning, { instanceOf: TurnRefusedError });
  t.is(error?.refusal, 'abandoned');
  t.is(typeof (await behind), 'number');
});

test('an error of the task itself comes back as it is', async (t) => {
  const threads = create(t);
  await t.throwsAsync(run(threads, 'fail'), { message: 'the task itself failed' });
});

test('503: more tasks than may wait are refused at once', async (t) => {
  const threads = create(t, { waitingMax: 2 });
  const accepted = ['tellThread', 'tellThread', 'tellThread'].map((name) => run(threads, name));
  const error = await t.throwsAsync(run(threads, 'tellThread'), { instanceOf: SvcError });
  t.is(error?.status, 503);
  t.deepEqual(error?.headers, { 'Retry-After': '1' });
  t.is((await Promise.all(accepted)).length, 3);
});

test('close lets what is running end and refuses what waits and what comes', async (t) => {
  const threads = create(t);
  const running = run(threads, 'tellThread');
  const waiting = t.throwsAsync(run(threads, 'tellThread'), { instanceOf: SvcError });
  const closed = threads.close();
  t.is(typeof (await running), 'number');
  await waiting;
  await closed;
  await t.throwsAsync(run(threads, 'tellThread'), { message: /stopping/ });
  t.is(threads.use().threads, 0);
});

function run(
  threads: Threads,
  name: string,
  caller: Partial<LimitedCaller> = {},
): Promise<unknown> {
  return threads.run({ file: FILE, name, input: null, caller: { ...CALLER, ...caller } });
}

const CALLER: LimitedCaller = {
  tenantId: 'acme' as TenantId,
  signal: null,
  whenBusy: 'refused',
  cpuSecondsMax: null,
};

function create(
  t: { teardown(action: () => Promise<void>): void },
  options: Partial<Parameters<typeof createThreads>[0]> = {},
): Threads {
  const threads = createThreads({
    threadsMax: 1,
    tenantThreadsMax: 1,
    waitingMax: 10,
    tenantWaitingMax: 10,
    waitMsMax: 120_000,
    now,
    use: createCpuUse({ now }),
    taskMsMax: 60_000,
    idleMs: 60_000,
    memoryMiBMax: 256,
    onThreadError: () => undefined,
    ...options,
  });
  t.teardown(() => threads.close());
  return threads;
}

/** Runs tasks in a separate process whose first threads die at their start. */
async function runTasks(
  t: ExecutionContext,
  { deaths }: { readonly deaths: number },
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-threads-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const preload = new URL('./die-at-start.ts', import.meta.url);
  preload.search = `?folder=${folder}&times=${deaths}`;
  const program = fileURLToPath(new URL('./run-tasks.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', preload.href, program],
    { timeout: 50_000 },
  );
  return JSON.parse(stdout) as readonly string[];
}
