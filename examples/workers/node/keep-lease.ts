import type { WorkItem } from './run-worker.ts';
import { NoAnswerError, pause, rest, send, type Api } from './send.ts';

export interface Lease {
  /** Aborted when the lease is lost, with an Error that says why. */
  readonly lost: AbortSignal;
  /** Resolves when the lease is lost, and with null. */
  readonly whenLost: Promise<null>;
  /** Ends the heartbeats. */
  release(): void;
}

/** Engines that name no interval have leases of 30 s. */
const HEARTBEAT_MS = 10_000;

/**
 * Renews the lease of an item until it is released or lost. While the runtime does not answer, the
 * work continues: nobody takes a lease back before the runtime answers again, and then a 409 says
 * so, here or to `complete`. Every answer other than 200 means that the worker cannot keep the
 * lease.
 */
export function keepLease(params: {
  readonly api: Api;
  readonly workerId: string;
  readonly item: WorkItem;
}): Lease {
  const released = new AbortController();
  const lost = new AbortController();
  const whenLost = new Promise<null>((resolve) => {
    lost.signal.addEventListener('abort', () => resolve(null));
  });
  void renew({ ...params, released: released.signal, lose: (why) => lost.abort(new Error(why)) });
  return { lost: lost.signal, whenLost, release: () => released.abort() };
}

async function renew(params: {
  readonly api: Api;
  readonly workerId: string;
  readonly item: WorkItem;
  readonly released: AbortSignal;
  readonly lose: (why: string) => void;
}): Promise<void> {
  const { api, workerId, item, released, lose } = params;
  const { heartbeat_interval_ms: everyMs = HEARTBEAT_MS } = item;
  let failures = 0;
  for (;;) {
    if (failures === 0) await pause(everyMs, released);
    else await rest({ failures, atMostMs: everyMs, signal: released });
    if (released.aborted) return;
    try {
      const answer = await send(api, {
        path: `/work-items/${item.id}/heartbeat`,
        body: { worker_id: workerId, lease_fence: item.lease_fence },
        timeoutMs: everyMs,
        signal: released,
      });
      if (answer.status !== 200) return lose(answer.reason);
      failures = 0;
    } catch (error) {
      if (released.aborted) return;
      if (!(error instanceof NoAnswerError)) return lose(String(error));
      failures += 1;
    }
  }
}
