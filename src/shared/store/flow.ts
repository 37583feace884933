import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { AwaitedLine, AwaitedToken } from './commit.ts';
import type { WaitBounds } from './places.ts';

/**
 * Places of a key of concurrency. They are numbered from 1 to the limit in force, and each number is given
 * once. An execution keeps its place until it ends. The limits in force are those of the definition of the
 * workflow that is registered last, see `WaitLimits`; without one, those of the execution that has waited longest.
 *
 * A start may say that it cancels the oldest (`cancelsOldest`). While it waits, the newest executions up
 * to and with it are wanted, as many as its limit says, and all older ones are surplus: those that wait,
 * and those that have a place and are not about to end. If several say so, the newest counts. Nobody
 * is admitted to a key while a surplus execution waits, because it would begin and end at once.
 */
export interface FlowStore {
  /**
   * Looks at `lines` of the lines that executions wait in, and lists `limit` of them; those that may be
   * admitted come first, the oldest wait before others, and then those with a surplus.
   */
  listKeys(params: {
    readonly limit: number;
    readonly lines: number;
    /** Bounds the inputs of one batch together. */
    readonly batchBytesMax: number;
    /** Absent: from the first line. */
    readonly after?: LineName;
  }): Promise<WaitedKeys>;
  /**
   * Takes back the places of what has ended, and gives free ones to those that have waited longest, at
   * most `limit` of them. Safe in several processes at once: a number that another gave is skipped.
   */
  admit(params: {
    readonly tenantId: TenantId;
    readonly placeKey: string;
    readonly limit: number;
  }): Promise<readonly AdmittedExecution[]>;
  /** The same in a line with a rate: each execution takes a token as well, once. */
  admitAtRate(params: {
    readonly tenantId: TenantId;
    readonly placeKey: string;
    readonly token: AwaitedToken;
    readonly limit: number;
  }): Promise<PacedBeginnings>;
  /**
   * The newest of a line of debounced starts begins, or waits in its next line, if it is due and nobody
   * waits whom it displaces. Safe in several processes at once.
   */
  endDebounce(params: {
    readonly tenantId: TenantId;
    readonly placeKey: string;
  }): Promise<EndedDebounce>;
  /**
   * The executions of the next batch of a line in the order of their starts, if it is due: as many
   * wait as one batch takes, or its first has waited long enough. Empty: it is not due.
   */
  findBatch(params: {
    readonly tenantId: TenantId;
    readonly placeKey: string;
    readonly bytesMax: number;
  }): Promise<readonly ExecutionId[]>;
  /** The surplus executions of a key, the oldest first. */
  listSurplus(params: {
    readonly tenantId: TenantId;
    readonly placeKey: string;
    readonly limit: number;
  }): Promise<readonly SurplusExecution[]>;
  /** Notes that an execution is about to end, so that it is surplus no more. */
  noteLeaving(executionId: ExecutionId): Promise<void>;
  /** Null: the execution waits for no place and no token. */
  find(executionId: ExecutionId, bounds?: WaitBounds): Promise<FlowWait | null>;
  /**
   * Null: the execution waits in no line, neither in one of a key nor in that of its tenant. Calls that come
   * together are answered together.
   */
  findLine(executionId: ExecutionId): Promise<AwaitedLine | null>;
}

export interface AdmittedExecution {
  readonly executionId: ExecutionId;
  readonly shard: number;
  /** Since its start, or since its `start_after`. */
  readonly waitedMs: number;
}

export interface PacedBeginnings {
  readonly admitted: readonly AdmittedExecution[];
  /** Until the next token; 0: there is one. */
  readonly nextTokenMs: number;
}

export interface EndedDebounce {
  readonly begun: readonly AdmittedExecution[];
  /** One waits for a place or a token from here on. */
  readonly hasMoved: boolean;
}

export interface LineName {
  readonly tenantId: TenantId;
  readonly placeKey: string;
}

export interface WaitedKeys {
  readonly keys: readonly WaitedKey[];
  /** The last line that was looked at, if others may follow. */
  readonly last: LineName | null;
}

export interface WaitedKey {
  readonly tenantId: TenantId;
  readonly placeKey: string;
  /** A place is free, or none is needed. */
  readonly hasRoom: boolean;
  readonly hasSurplus: boolean;
  /** Null: none is needed. */
  readonly token: AwaitedToken | null;
  /** The newest of the line begins at its time. */
  readonly isDebounced: boolean;
  /** Its executions gather in batches. */
  readonly isBatched: boolean;
  /** Until the next token, or that time; 0: there is one, or none is needed. */
  readonly nextTokenMs: number;
}

export interface SurplusExecution {
  readonly executionId: ExecutionId;
  /** The execution that it ends for, and the actor that started that one. */
  readonly for: ExecutionId;
  readonly startedBy: string;
}

export interface FlowWait {
  readonly placeKey: string;
  /** Null: it needs no place. */
  readonly placesMax: number | null;
  readonly isPaced: boolean;
  /** ISO instant at which it begins, unless a newer start displaces it, or its batch closes; null: neither. */
  readonly dueAt: string | null;
  /** Null: it gathers in no batch. */
  readonly batch: GatheringBatch | null;
  /** ISO instant. */
  readonly since: string;
  /** Executions that have waited longer, counted to `AHEAD_MAX`. */
  readonly ahead: number;
  /** Some of the executions that have the places, at most `HOLDERS_MAX`. */
  readonly holders: readonly ExecutionId[];
}

/** `placesMax` of the wait is the most that the batch takes. */
export interface GatheringBatch {
  /** The starts that wait, at most so many. */
  readonly size: number;
}

export const HOLDERS_MAX = 5;

/** It has the place, the token and the time that it needs. */
export function mayBegin({ hasRoom, nextTokenMs }: WaitedKey): boolean {
  return hasRoom && nextTokenMs === 0;
}
