import { SvcError } from '../../shared/domain/errors.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import type { CpuCaller } from '../../shared/ports/cpu.ts';
import type { CpuUse } from './cpu-use.ts';

/**
 * Chooses the next tenant for a thread. Tenants take turns: among those that wait, the one with the
 * fewest running tasks is next, then the one that has used the least CPU time. No tenant gets all
 * threads, and each has its own queue, so the tasks of one tenant never block another's.
 */
export interface Turns {
  /** Resolves when the task may run. Rejects with TurnRefusedError. */
  take(caller: LimitedCaller): Promise<Turn>;
  waiting(): number;
  /** Refuses all waiting tasks. */
  close(): void;
}

export interface LimitedCaller extends CpuCaller {
  /** Limit of the tenant, in seconds of CPU time for each minute; null: none. */
  readonly cpuSecondsMax: number | null;
}

export interface Turn {
  /** Ends the turn. `ms`: how long a thread was busy with the task. */
  end(ms: number): void;
}

export interface TurnSettings {
  readonly threadsMax: number;
  /** Threads that one tenant may use at the same time. */
  readonly tenantThreadsMax: number;
  /** Tasks that wait, of all tenants and of one. */
  readonly waitingMax: number;
  readonly tenantWaitingMax: number;
  /** A request waits no longer than this. */
  readonly waitMsMax: number;
  /** CPU use of tenants in all pools of the process. */
  readonly use: CpuUse;
}

/** Why a task never ran. */
export type TurnRefusal = 'tenant_limit' | 'tenant_queue' | 'queue' | 'wait' | 'abandoned' | 'stop';

export class TurnRefusedError extends SvcError {
  readonly refusal: TurnRefusal;

  constructor(
    refusal: TurnRefusal,
    {
      retryAfterSeconds = 1,
      body,
    }: { readonly retryAfterSeconds?: number; readonly body?: JsonObject } = {},
  ) {
    super(isOfTenant(refusal) ? 'limit_exceeded' : 'unavailable', REFUSALS[refusal], {
      headers: { 'Retry-After': String(retryAfterSeconds) },
      ...(body !== undefined && { body }),
    });
    this.refusal = refusal;
  }
}

const isOfTenant = (refusal: TurnRefusal) =>
  refusal === 'tenant_limit' || refusal === 'tenant_queue';

const REFUSALS: Readonly<Record<TurnRefusal, string>> = {
  tenant_limit: 'the tenant has used the CPU time that max_cpu_seconds_per_minute allows',
  tenant_queue: 'the tenant has too much CPU-bound work waiting in this process',
  queue: 'too much CPU-bound work is waiting',
  wait: 'no thread was free for this CPU-bound work in time',
  abandoned: 'the caller has gone',
  stop: 'this process is stopping',
};

export function createTurns(settings: TurnSettings): Turns {
  const { threadsMax, tenantThreadsMax, waitingMax, tenantWaitingMax, waitMsMax, use } = settings;
  const running = new Map<string, number>();
  /** Only tenants that wait have a queue here. */
  const queues = new Map<string, Waiting[]>();
  let free = threadsMax;
  let waiting = 0;
  let closed = false;
  let nextLook: NodeJS.Timeout | null = null;

  function begin({ tenantId }: CpuCaller): Turn {
    free -= 1;
    running.set(tenantId, runningOf(tenantId) + 1);
    return {
      end(ms) {
        free += 1;
        const left = runningOf(tenantId) - 1;
        if (left === 0) running.delete(tenantId);
        else running.set(tenantId, left);
        use.add(tenantId, ms);
        dispatch();
      },
    };
  }

  const runningOf = (tenantId: string) => running.get(tenantId) ?? 0;
  const mayRun = (caller: LimitedCaller) =>
    free > 0 && runningOf(caller.tenantId) < tenantThreadsMax && use.waitMs(caller) === 0;

  function dispatch(): void {
    for (let next = findNext(); next !== null; next = findNext()) {
      remove(next);
      next.resolve(begin(next.caller));
    }
    lookAgain();
  }

  function findNext(): Waiting | null {
    const first = queues
      .values()
      .flatMap((queue) => queue.slice(0, 1))
      .filter(({ caller }) => mayRun(caller))
      .toArray();
    first.sort(
      ({ caller: { tenantId: a } }, { caller: { tenantId: b } }) =>
        runningOf(a) - runningOf(b) || use.of(a) - use.of(b),
    );
    return first[0] ?? null;
  }

  /** Work that waits for its tenant's limit is begun by nobody's end. */
  function lookAgain(): void {
    if (nextLook !== null) clearTimeout(nextLook);
    nextLook = null;
    const waits = queues
      .values()
      .flatMap((queue) => queue.slice(0, 1).map(({ caller }) => use.waitMs(caller)))
      .filter((ms) => ms > 0)
      .toArray();
    if (waits.length === 0) return;
    nextLook = setTimeout(dispatch, Math.min(...waits));
    nextLook.unref();
  }

  function remove(entry: Waiting): void {
    const { tenantId } = entry.caller;
    const queue = queues.get(tenantId) ?? [];
    queue.splice(queue.indexOf(entry), 1);
    if (queue.length === 0) queues.delete(tenantId);
    waiting -= 1;
    entry.forget();
  }

  function refuse(entry: Waiting, refusal: TurnRefusal): void {
    remove(entry);
    entry.reject(new TurnRefusedError(refusal));
  }

  /** Null: there is room for one more of this tenant. */
  function objectTo(caller: LimitedCaller): TurnRefusedError | null {
    if (caller.whenBusy === 'waits') return null;
    const { tenantId } = caller;
    const waitMs = use.waitMs(caller);
    if (waitMs > 0) {
      return new TurnRefusedError('tenant_limit', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
        body: { limit: 'max_cpu_seconds_per_minute', max: caller.cpuSecondsMax },
      });
    }
    const own = queues.get(tenantId)?.length ?? 0;
    if (own >= tenantWaitingMax) return new TurnRefusedError('tenant_queue');
    if (waiting < waitingMax) return null;
    // The tenant with the most waiting tasks makes room for tenants with fewer.
    const longest = [...queues.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
    const last = longest.findLast((entry) => entry.caller.whenBusy === 'refused');
    if (last === undefined || longest.length <= own + 1) return new TurnRefusedError('queue');
    refuse(last, 'queue');
    return null;
  }

  function wait(caller: LimitedCaller): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const { signal, tenantId } = caller;
      const leave = () => refuse(entry, 'abandoned');
      const timer =
        caller.whenBusy === 'refused' ? setTimeout(() => refuse(entry, 'wait'), waitMsMax) : null;
      const forget = () => {
        if (timer !== null) clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const entry: Waiting = { caller, resolve, reject, forget };
      signal?.addEventListener('abort', leave, { once: true });
      const queue = queues.get(tenantId);
      if (queue === undefined) queues.set(tenantId, [entry]);
      else queue.push(entry);
      waiting += 1;
      lookAgain();
    });
  }

  return {
    async take(caller) {
      if (closed) throw new TurnRefusedError('stop');
      if (caller.signal?.aborted === true) throw new TurnRefusedError('abandoned');
      if (!queues.has(caller.tenantId) && mayRun(caller)) return begin(caller);
      const objection = objectTo(caller);
      if (objection !== null) throw objection;
      return wait(caller);
    },
    waiting: () => waiting,
    close() {
      closed = true;
      for (const entry of [...queues.values()].flat()) refuse(entry, 'stop');
      if (nextLook !== null) clearTimeout(nextLook);
    },
  };
}

interface Waiting {
  readonly caller: LimitedCaller;
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: TurnRefusedError) => void;
  /** Takes back what would end the wait otherwise. */
  readonly forget: () => void;
}
