import { linkAbort } from '../link-abort.ts';
import { CancelledError, LeaseLostError } from './errors.ts';
import { backOffMs, pause } from './pause.ts';
import type { Reports } from './reports.ts';
import { NoAnswerError, reasonIn } from './send.ts';
import type { WorkItem } from './work-item.ts';

/** The lease of one item, renewed until it is released or lost. */
export interface Lease {
  /** Aborts only when the lease is lost: requests about the item are of no use then. */
  readonly lost: AbortSignal;
  /** Aborts when the work must stop: lease lost, execution cancelled, worker at its deadline. */
  readonly stopped: AbortSignal;
  /** Ends the heartbeats. */
  release(): void;
}

/** Engines older than `heartbeat_interval_ms` have leases of 30 s. */
const HEARTBEAT_MS = 10_000;

/** Without a reason an abort makes an error with a stack, which takes 5 µs an item in place of 1. */
const RELEASED = 'the lease is released';

/** After the worker's deadline a runtime has that long to answer about the item. */
const GIVE_UP_MS = 3_000;

/**
 * Renews the lease of an item. The first heartbeat follows after a whole interval, so that short work
 * needs none. Without an answer nothing is known and the work continues: the runtime takes a lease
 * back only when it runs again, and then says so. Every answer but 200 means that the lease is lost.
 */
export function keepLease(params: {
  readonly reports: Reports;
  readonly item: WorkItem;
  /** Aborts at the deadline of the worker's stop. */
  readonly deadline: AbortSignal;
}): Lease {
  const lost = new AbortController();
  const cancelled = new AbortController();
  const released = new AbortController();
  const link = linkAbort([lost.signal, cancelled.signal, params.deadline]);
  const cancel = () => cancelled.abort(new CancelledError('the execution is being cancelled'));
  if (params.item.cancel_requested === true && params.item.mode !== 'rollback') cancel();
  const giveUp = afterDeadline(params.deadline, () => {
    lost.abort(new LeaseLostError('the worker has stopped'));
  });
  void renew({ ...params, released: released.signal, cancel, lose: (why) => lost.abort(why) });
  return {
    lost: lost.signal,
    stopped: link.signal,
    release: () => {
      released.abort(RELEASED);
      link.unlink();
      giveUp.cancel();
    },
  };
}

/** Otherwise a runtime that does not answer would keep the worker from stopping. */
function afterDeadline(deadline: AbortSignal, giveUp: () => void): { readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => void (timer = setTimeout(giveUp, GIVE_UP_MS));
  if (deadline.aborted) begin();
  else deadline.addEventListener('abort', begin, { once: true });
  return {
    cancel: () => {
      deadline.removeEventListener('abort', begin);
      clearTimeout(timer);
    },
  };
}

async function renew(params: {
  readonly reports: Reports;
  readonly item: WorkItem;
  readonly released: AbortSignal;
  readonly cancel: () => void;
  readonly lose: (why: LeaseLostError) => void;
}): Promise<void> {
  const { reports, item, released, cancel, lose } = params;
  const heartbeat = {
    kind: 'heartbeat',
    itemId: item.id,
    members: { lease_fence: item.lease_fence },
  } as const;
  const { heartbeat_interval_ms: everyMs = HEARTBEAT_MS } = item;
  for (let failures = 0; ;) {
    const restMs = failures === 0 ? everyMs : backOffMs(failures, Math.random());
    await pause(Math.min(restMs, everyMs), released);
    if (released.aborted) return;
    try {
      const answer = await reports.send(heartbeat, { timeoutMs: everyMs });
      if (released.aborted) return;
      if (answer.status !== 200) return lose(new LeaseLostError(reasonIn(answer)));
      if (answer.body['cancel_requested'] === true && item.mode !== 'rollback') cancel();
      failures = 0;
    } catch (error) {
      if (released.aborted) return;
      if (!(error instanceof NoAnswerError)) return lose(new LeaseLostError(String(error)));
      failures += 1;
    }
  }
}
