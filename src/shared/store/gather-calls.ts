import { StoreUnavailableError } from './store.ts';

export interface GatherOptions<Call> {
  /** A batch holds calls of one group; absent: there is one group. */
  readonly groupOf?: (call: Call) => string;
  /** Absent: 1. */
  readonly sizeOf?: (call: Call) => number;
  /** Limit of all calls of a batch; a single call may be larger. */
  readonly sizeMax: number;
  /** Batches of a group that are under way at the same time. */
  readonly lanes: number;
  /**
   * The reaction when a batch throws because of its data. `split`: halves are tried until the
   * faulty call is alone. `reject`: all calls of the batch fail.
   */
  readonly onFailure: 'split' | 'reject';
  /** Runs the action once the event loop has had its turn; absent: `setImmediate`. */
  readonly defer?: (action: () => void) => void;
}

/**
 * Answers the calls of many callers together. While a lane is free, a call waits only for the end of
 * the present turn of the event loop. While all are busy, calls queue up, and the lane that frees first
 * takes them, up to a bound. There is no timer, so a lone call costs one round trip.
 *
 * Every call sees what was committed before it was made, since its statement starts later. Calls that
 * are equal are each answered. When the store cannot be reached, all callers of the batch learn so, and
 * nothing is tried again here.
 */
export function gatherCalls<Call, Answer>(
  /** One answer for each call, in their order. */
  answerAll: (calls: readonly Call[]) => Promise<readonly Answer[]>,
  options: GatherOptions<Call>,
): (call: Call) => Promise<Answer> {
  const { groupOf = () => '', lanes, onFailure, defer = setImmediate } = options;
  const groups = new Map<string, Group<Call, Answer>>();
  let isScheduled = false;

  /** A group exists while it has calls, since callers choose the keys; the only group always does. */
  function groupFor(key: string): Group<Call, Answer> {
    const known = groups.get(key);
    if (known !== undefined) return known;
    const group = { key, waiting: [], busy: 0 };
    groups.set(key, group);
    return group;
  }

  const onlyGroup = options.groupOf === undefined ? groupFor('') : null;

  function flush(group: Group<Call, Answer>): void {
    while (group.busy < lanes && group.waiting.length > 0) {
      const batch = takeBatch(group.waiting, options);
      group.busy += 1;
      void answerBatch(batch, { answerAll, onFailure }).finally(() => {
        group.busy -= 1;
        flush(group);
      });
    }
    if (group.busy === 0 && group !== onlyGroup) groups.delete(group.key);
  }

  function flushAll(): void {
    isScheduled = false;
    if (onlyGroup !== null) flush(onlyGroup);
    else for (const group of groups.values()) flush(group);
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const group = onlyGroup ?? groupFor(groupOf(call));
      group.waiting.push({ call, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      defer(flushAll);
    });
}

interface Group<Call, Answer> {
  readonly key: string;
  readonly waiting: Waiting<Call, Answer>[];
  busy: number;
}

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** The oldest calls, up to the bound. */
function takeBatch<Call, Answer>(
  waiting: Waiting<Call, Answer>[],
  { sizeOf, sizeMax }: Pick<GatherOptions<Call>, 'sizeOf' | 'sizeMax'>,
): readonly Waiting<Call, Answer>[] {
  if (sizeOf === undefined) return waiting.splice(0, sizeMax);
  let size = 0;
  const end = waiting.findIndex(({ call }, index) => {
    size += sizeOf(call);
    return size > sizeMax && index > 0;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

/** Settles every call of the batch; never rejects itself. */
async function answerBatch<Call, Answer>(
  batch: readonly Waiting<Call, Answer>[],
  by: {
    readonly answerAll: (calls: readonly Call[]) => Promise<readonly Answer[]>;
    readonly onFailure: GatherOptions<Call>['onFailure'];
  },
): Promise<void> {
  try {
    const answers = await by.answerAll(batch.map(({ call }) => call));
    batch.forEach(({ resolve, reject }, index) => {
      if (index < answers.length) resolve(answers[index] as Answer);
      else reject(new Error('gathered calls got too few answers'));
    });
  } catch (error) {
    const isWhole = by.onFailure === 'reject' || error instanceof StoreUnavailableError;
    if (isWhole || batch.length === 1) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await answerBatch(batch.slice(0, middle), by);
    await answerBatch(batch.slice(middle), by);
  }
}
