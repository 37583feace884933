import { isRecord } from '../is-record.ts';
import { backOffMs, pause } from './pause.ts';
import { NoAnswerError, type Answer, type Api, isUnknown, send } from './send.ts';

/*
 * A worker's calls for its items. Calls that are made while others are under way gather, and travel
 * together: one request carries up to 100. A call that ends an item frees its place, so the request
 * that carries it also claims an item for that place.
 */

export type ReportKind =
  'heartbeat' | 'steps' | 'suspend' | 'continue' | 'complete' | 'fail' | 'release';

export interface Report {
  readonly kind: ReportKind;
  readonly itemId: string;
  /** With the fence of the lease. */
  readonly members: object;
  /** A report before this one has claimed for the place of the item. */
  readonly placeIsClaimed?: boolean;
}

export interface Reports {
  /** Sends the report once; rejects with `NoAnswerError` when the outcome is unknown. */
  send(report: Report, options?: ReportOptions): Promise<Answer>;
  /** Sends the report until there is an answer; null when the signal aborts first. */
  sendUntilAnswered(report: Report, signal: AbortSignal): Promise<Answer | null>;
}

interface ReportOptions {
  readonly timeoutMs?: number;
  /** An earlier try may have arrived. */
  readonly isRepeated?: boolean;
}

/** Sends reports with a claim for as many items; the answer is that of the claim. */
export type Carry = (carried: {
  /** A JSON array. */
  readonly reports: string;
  readonly places: number;
  readonly timeoutMs: number;
}) => Promise<Answer>;

/** As many requests are under way before reports wait for each other. */
const LANES = 2;
/** A request that takes longer keeps no other report waiting. */
const SLOW_MS = 25;
const REPORTS_MAX = 100;
/** Far below the largest body that the runtime takes by default. */
const CHARS_MAX = 256 * 1024;
const TIMEOUT_MS = 15_000;

/** Without `suspend`: if a wait is satisfied already, the turn continues and keeps its place. */
const ENDS_ITEM: ReadonlySet<ReportKind> = new Set(['continue', 'complete', 'fail', 'release']);

interface Waiting {
  readonly report: Report;
  /** The report as it travels with others. */
  readonly json: string;
  readonly timeoutMs: number;
  readonly freesPlace: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export function createReports(given: {
  readonly api: Api;
  readonly workerId: string;
  /** Null while the worker does not claim. */
  readonly carry: () => Carry | null;
}): Reports {
  const { api, workerId } = given;
  const waiting: Waiting[] = [];
  let fast = 0;
  let isFlushing = false;

  function flushSoon(): void {
    if (isFlushing || waiting.length === 0 || fast >= LANES) return;
    isFlushing = true;
    // Reports of the same moment travel together.
    setImmediate(() => {
      isFlushing = false;
      while (waiting.length > 0 && fast < LANES) flush(takeBatch(waiting));
    });
  }

  function flush(batch: readonly Waiting[]): void {
    let isFast = true;
    fast += 1;
    const leaveLane = (): void => {
      clearTimeout(slow);
      if (!isFast) return;
      isFast = false;
      fast -= 1;
      flushSoon();
    };
    const slow = setTimeout(leaveLane, SLOW_MS);
    void exchange(batch).finally(leaveLane);
  }

  /** Never rejects. */
  async function exchange(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await together(batch);
      if (answers === null) return await alone(batch);
      batch.forEach((one, index) => settle(one, answers[index]));
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  /** Null: the runtime does not take reports that travel together, or not these. */
  async function together(batch: readonly Waiting[]): Promise<readonly Answer[] | null> {
    const carry = given.carry();
    const places = batch.filter(({ freesPlace }) => freesPlace).length;
    const timeoutMs = Math.min(...batch.map((one) => one.timeoutMs));
    const reports = `[${batch.map(({ json }) => json).join(',')}]`;
    if (carry !== null && places > 0) {
      return resultsIn(await carry({ reports, places, timeoutMs }), batch.length);
    }
    if (batch.length === 1) return null;
    const json = `{"worker_id":${JSON.stringify(workerId)},"reports":${reports}}`;
    return resultsIn(await send(api, { path: REPORT_PATH, json, timeoutMs }), batch.length);
  }

  /** Each by the endpoint of its kind, so that each gets an answer of its own. */
  async function alone(batch: readonly Waiting[]): Promise<void> {
    await Promise.all(
      batch.map(async ({ report, timeoutMs, resolve, reject }) => {
        const path = `/work-items/${report.itemId}/${report.kind}`;
        const body = { worker_id: workerId, ...report.members };
        await send(api, { path, body, timeoutMs }).then(resolve, reject);
      }),
    );
  }

  function sendOnce(report: Report, options: ReportOptions = {}): Promise<Answer> {
    const { timeoutMs = TIMEOUT_MS, isRepeated = false } = options;
    const { kind, itemId: work_item_id, members, placeIsClaimed = false } = report;
    return new Promise((resolve, reject) => {
      const json = JSON.stringify({ kind, work_item_id, ...members });
      // The claim of the first try may have got an item for the place.
      const freesPlace = !isRepeated && !placeIsClaimed && ENDS_ITEM.has(kind);
      waiting.push({ report, json, timeoutMs, freesPlace, resolve, reject });
      flushSoon();
    });
  }

  return {
    send: sendOnce,
    async sendUntilAnswered(report, signal) {
      for (let failures = 0; !signal.aborted;) {
        try {
          const answer = await sendOnce(report, { isRepeated: failures > 0 });
          return { ...answer, afterUnknown: failures > 0 };
        } catch (error) {
          if (!(error instanceof NoAnswerError)) throw error;
          failures += 1;
          await pause(Math.max(backOffMs(failures, Math.random()), error.retryAfterMs), signal);
        }
      }
      return null;
    },
  };
}

const REPORT_PATH = '/work-items/report';

/** The oldest ones that fit in one request. */
function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let chars = 0;
  let count = 0;
  for (const { json } of waiting) {
    chars += json.length;
    if (count === REPORTS_MAX || (count > 0 && chars > CHARS_MAX)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

function resultsIn({ status, body }: Answer, count: number): readonly Answer[] | null {
  const { results } = body;
  if (status !== 200 || !Array.isArray(results) || results.length !== count) return null;
  return results.map((result: unknown) => {
    const { status: own, body: said } = isRecord(result) ? result : {};
    return {
      status: typeof own === 'number' ? own : 500,
      body: isRecord(said) ? said : {},
      afterUnknown: false,
    };
  });
}

function settle({ resolve, reject }: Waiting, answer: Answer | undefined): void {
  if (answer === undefined || isUnknown(answer.status)) {
    reject(new NoAnswerError(`the runtime answered ${answer?.status ?? 'nothing'}`));
  } else resolve(answer);
}
