import type { CallKind, Filter, Moment } from './case-file.ts';

/** A call of the worker; those that travel in one request are calls of their own. */
export interface Call {
  readonly kind: CallKind;
  /** The name of the item that it is about; null: none, or one that no case has. */
  readonly item: string | null;
  /** Names of the items that a claim got. */
  readonly got: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  /** Null: the worker got no answer. */
  readonly status: number | null;
  /** Milliseconds as `performance.now()`. */
  readonly beganAt: number;
  readonly endedAt: number;
  /** The lease of the item as the call began; null: the worker has never had one. */
  readonly held: HeldLease | null;
  /** The mistake of the request that no case allows; null: none. */
  readonly fault: string | null;
}

export interface HeldLease {
  readonly fence: number;
  /** With those of earlier leases. */
  readonly fences: readonly number[];
  readonly key: string | null;
}

/** All calls in the order of their ends, and the times of the leases. */
export class CallLog {
  readonly calls: Call[] = [];
  readonly #leasedAt = new Map<string, number>();

  add(call: Call): void {
    this.calls.push(call);
  }

  /** Notes that the worker has got the first lease of an item. */
  addLease(item: string): void {
    if (!this.#leasedAt.has(item)) this.#leasedAt.set(item, performance.now());
  }

  /** The time of a moment; null: it has not come. */
  timeOf(moment: Moment): number | null {
    const { then_ms: thenMs = 0 } = moment;
    const time = 'leased' in moment ? this.#leasedAt.get(moment.leased) : this.#endOf(moment);
    return time === undefined ? null : time + thenMs;
  }

  #endOf({ call, nth = 1 }: Extract<Moment, { call: Filter }>): number | undefined {
    return this.calls.filter((one) => fits(call, one))[nth - 1]?.endedAt;
  }
}

export function fits({ kind, item, status }: Filter, call: Call): boolean {
  if (!(typeof kind === 'string' ? [kind] : kind).includes(call.kind)) return false;
  if (status !== undefined && status !== call.status) return false;
  return item === undefined || item === call.item || call.got.includes(item);
}
