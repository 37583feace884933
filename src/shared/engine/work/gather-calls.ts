import { StoreUnavailableError } from '../../store/store.ts';
import { systemTimers, type Timers } from '../scheduling/timers.ts';

/**
 * Calls of many callers, answered together. While a lane is free a call waits for nothing but the end
 * of what the event loop is at; while all are busy calls queue up, and the lane that frees first takes
 * what waits, up to a bound. There is no timer, so a lone call costs one round trip.
 *
 * A batch holds calls of one group, and every group has lanes of its own. When a batch throws for its
 * data, halves are tried until the call at fault stands alone; when the store cannot be reached every
 * caller is told so, and nothing is tried again here.
 */
export function gatherCalls<Call, Answer>(
  /** One answer for each call, in their order. */
  answerAll: (calls: readonly Call[]) => Promise<readonly Answer[]>,
  options: {
    readonly groupOf: (call: Call) => string;
    readonly sizeOf: (call: Call) => number;
    readonly sizeMax: number;
    readonly lanes: number;
    readonly timers?: Timers;
  },
): (call: Call) => Promise<Answer> {
  const { groupOf, sizeOf, sizeMax, lanes, timers = systemTimers } = options;
  const groups = new Map<string, Group<Call, Answer>>();
  let isScheduled = false;

  function flush(key: string, group: Group<Call, Answer>): void {
    while (group.busy < lanes && group.waiting.length > 0) {
      const batch = takeBatch(group);
      group.busy += 1;
      void answer(batch).finally(() => {
        group.busy -= 1;
        flush(key, group);
      });
    }
    if (group.busy === 0) groups.delete(key);
  }

  /** The oldest; one alone may be larger than the bound. */
  function takeBatch(group: Group<Call, Answer>): readonly Waiting<Call, Answer>[] {
    let size = 0;
    const end = group.waiting.findIndex(({ call }, index) => {
      size += sizeOf(call);
      return size > sizeMax && index > 0;
    });
    return group.waiting.splice(0, end === -1 ? group.waiting.length : end);
  }

  async function answer(batch: readonly Waiting<Call, Answer>[]): Promise<void> {
    try {
      const answers = await answerAll(batch.map(({ call }) => call));
      batch.forEach(({ resolve, reject }, index) => {
        if (index < answers.length) resolve(answers[index] as Answer);
        else reject(new Error('gathered calls got too few answers'));
      });
    } catch (error) {
      if (error instanceof StoreUnavailableError || batch.length === 1) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await answer(batch.slice(0, middle));
      await answer(batch.slice(middle));
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const key = groupOf(call);
      const group = groups.get(key) ?? { waiting: [], busy: 0 };
      groups.set(key, group);
      group.waiting.push({ call, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      timers.after(0, () => {
        isScheduled = false;
        for (const [each, calls] of groups) flush(each, calls);
      });
    });
}

interface Group<Call, Answer> {
  readonly waiting: Waiting<Call, Answer>[];
  busy: number;
}

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}
