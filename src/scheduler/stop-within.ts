import type { Timers } from '../shared/engine/scheduling/timers.ts';

/**
 * The steps of a stop, one after the other, all within one deadline. A failed step is reported, and
 * the next one still runs. A step that hangs is abandoned when the time is up, and the later steps
 * still begin, because releasing a lock late is better than never.
 */
export async function stopWithin(params: {
  readonly deadlineMs: number;
  readonly timers: Timers;
  readonly steps: readonly {
    readonly name: string;
    readonly run: (leftMs: number) => Promise<void>;
  }[];
  readonly trouble: (what: string, error: unknown) => void;
}): Promise<void> {
  const { timers, trouble } = params;
  const endAt = timers.now() + params.deadlineMs;
  for (const { name, run } of params.steps) {
    const leftMs = Math.max(0, endAt - timers.now());
    const failed = (error: unknown) => trouble(`stopping: cannot ${name}`, error);
    const done = run(leftMs).then(() => 'done' as const, failed);
    const outcome = await Promise.race([done, elapsed({ timers, ms: leftMs, unless: done })]);
    if (outcome === 'elapsed') {
      failed(new Error(`not over within the ${params.deadlineMs} ms given for the whole stop`));
    }
  }
}

function elapsed(params: {
  readonly timers: Timers;
  readonly ms: number;
  readonly unless: Promise<unknown>;
}): Promise<'elapsed'> {
  return new Promise((resolve) => {
    const cancel = params.timers.after(params.ms, () => resolve('elapsed'));
    void params.unless.finally(cancel);
  });
}
