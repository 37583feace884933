import {
  createClient,
  type ExecutionHandle,
  type Startable,
  type SvcClient,
} from '../client/index.ts';
import {
  IN_PROCESS_URL,
  loadRuntime,
  type RuntimeOnVirtualTime,
  type RuntimeOptions,
  type TestingModule,
} from '../embedded/load-runtime.ts';
import { readDuration, type Duration } from '../duration.ts';
import { createWorker, silentLogger, type Labels, type WorkerOptions } from '../worker/index.ts';
import { mockSteps, type StepMocks } from './mock-steps.ts';
import { NotEndedError } from './not-ended-error.ts';
import { recordedSteps, type RecordedEvent, type RecordedStep } from './recorded-steps.ts';

export interface TestRuntimeOptions extends Pick<WorkerOptions, 'functions' | 'tools' | 'logger'> {
  /** Graphs to register: what the builder of `svc-sdk/workflow` makes, or `{ toIR }` of your own. */
  readonly workflows?: readonly { toIR(): object }[];
  /** Code in place of steps of the functions, by the names of the steps. */
  readonly steps?: StepMocks;
  /** The time at which the clock starts. Default: the system's time. */
  readonly startAt?: Date;
  /** Configuration keys of the runtime. */
  readonly settings?: RuntimeOptions['settings'];
}

/** An execution under test. `handle` has everything that the client offers. */
export interface TestExecution<Output = unknown> {
  readonly id: string;
  readonly handle: ExecutionHandle<Output>;
  /**
   * Lets the runtime settle and gives the output. Rejects as the client's `result` does, and at once,
   * with a NotEndedError that says what the execution waits for, when it rests before its end.
   */
  result(): Promise<Output>;
  /** `running`, `paused`, `completed`, `failed` or `cancelled`, once the runtime has settled. */
  status(): Promise<string>;
  /** The labels that the execution has, once the runtime has settled. */
  labels(): Promise<Labels>;
  /** All events so far. */
  events(): Promise<readonly RecordedEvent[]>;
  /** The entries that the function has recorded so far, in order. */
  steps(): Promise<readonly RecordedStep[]>;
  /** Delivers an external event. */
  signal(correlationKey: string, payload?: object): Promise<void>;
  approve(): Promise<void>;
  reject(): Promise<void>;
}

/** The real engine in memory, with a worker, on a clock that the test turns. */
export interface TestRuntime extends AsyncDisposable {
  readonly client: SvcClient;
  start<Input extends object, Output>(
    target: Startable<Input, Output>,
    input: Input,
  ): Promise<TestExecution<Output>>;
  /** The time of the runtime. */
  now(): Date;
  /** Moves the clock on, from one due timer to the next; each runs before the next is due. */
  advance(time: Duration): Promise<void>;
  /** Resolves when nothing is left to do before the clock moves. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const STOP_MS_MAX = 2_000;
/** A token of the environment is for another service. */
const ACCESS = { url: IN_PROCESS_URL, token: 'test' };

/**
 * Opens a runtime for a test. It needs the package `svc-runtime`.
 *
 * @throws Error when svc-runtime is not installed
 */
export async function createTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const module = await loadRuntime<TestingModule>('svc-runtime/testing');
  const { startAt, settings } = options;
  const runtime = await module.openTestRuntime({
    ...(startAt !== undefined && { startAt }),
    ...(settings !== undefined && { settings }),
  });
  const client = createClient({ ...ACCESS, environment: { fetch: runtime.fetch } });
  const definitions: readonly { toIR(): object }[] = [
    ...(options.functions ?? []),
    ...(options.workflows ?? []),
  ];
  for (const definition of definitions) {
    await client.workflows.register(definition.toIR());
  }
  const stopWorker = await startWorker(options, { runtime, client });
  const stop = async (): Promise<void> => {
    await stopWorker();
    await runtime.stop({ deadlineMs: STOP_MS_MAX });
  };
  return {
    client,
    start: async (target, input) => observe(await client.start(target, input), runtime),
    now: () => runtime.now(),
    advance: (time) => runtime.advance(readDuration(time)),
    settle: () => runtime.settle(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Gives what stops it. Without functions and tools there is nothing for a worker to do. */
async function startWorker(
  { functions = [], tools = [], steps = {}, logger = silentLogger }: TestRuntimeOptions,
  { runtime, client }: { readonly runtime: RuntimeOnVirtualTime; readonly client: SvcClient },
): Promise<() => Promise<void>> {
  if (functions.length + tools.length === 0) return () => Promise.resolve();
  const worker = createWorker({
    ...ACCESS,
    fetch: runtime.fetch,
    functions: functions.map((served) => mockSteps(served, steps)),
    tools,
    logger,
    register: false,
    buildId: 'test',
    // Short pauses between attempts take no time; long ones are timers of the runtime.
    clock: { nowMs: () => runtime.now().getTime(), pause: () => Promise.resolve() },
  });
  void worker.run();
  // Until its first claim the runtime does not know what it serves.
  while (!(await client.service.workers()).some(({ kind }) => kind === 'tool')) {
    await runtime.settle();
  }
  return () => worker.stop({ deadlineMs: STOP_MS_MAX });
}

function observe<Output>(
  handle: ExecutionHandle<Output>,
  runtime: RuntimeOnVirtualTime,
): TestExecution<Output> {
  const events = async (): Promise<readonly RecordedEvent[]> => {
    await runtime.settle();
    const all: RecordedEvent[] = [];
    for await (const event of handle.history()) all.push(event);
    return all;
  };
  const describe = async (): ReturnType<typeof handle.describe> => {
    await runtime.settle();
    return handle.describe();
  };
  const status = async (): Promise<string> => (await describe()).status;
  return {
    id: handle.id,
    handle,
    status,
    labels: async () => (await describe()).labels,
    events,
    steps: async () => recordedSteps(await events()),
    async result() {
      if (UNFINISHED.has(await status())) throw await notEnded(handle);
      return handle.result();
    },
    signal: async (correlationKey, payload = {}) => {
      await handle.signal(correlationKey, payload as Parameters<typeof handle.signal>[1]);
      await runtime.settle();
    },
    approve: async () => {
      await runtime.settle();
      await handle.approve();
      await runtime.settle();
    },
    reject: async () => {
      await runtime.settle();
      await handle.reject();
      await runtime.settle();
    },
  };
}

const UNFINISHED = new Set(['pending', 'running', 'paused']);

async function notEnded(handle: ExecutionHandle): Promise<NotEndedError> {
  const { blockers } = await handle.explain();
  return new NotEndedError(handle.id, blockers.map(({ message }) => `${message}.`).join(' '));
}
