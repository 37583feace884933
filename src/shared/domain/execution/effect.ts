import type { ExecutionId, WorkItemId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { WorkQueue } from '../work/work-item.ts';
import type { TimerSpec } from '../workflow/plan/plan.ts';
import type { ExecutionEvent } from './event.ts';
import type { TimerPurpose } from './event-payloads.ts';

/** A change that a decision requests from the store, in the same transaction as its events. */
export type Effect =
  /** Work for a visit: its first item, or the one that continues parked work. */
  | {
      readonly do: 'create_work';
      readonly nodeId: string;
      readonly visit: number;
      readonly attempt: number;
      readonly workItemId: WorkItemId;
      readonly queue: WorkQueue;
      readonly idempotencyKey: string;
      readonly input: JsonValue;
      readonly payload: JsonObject;
    }
  /** A further attempt of the same work item, after a delay that may be 0. */
  | {
      readonly do: 'retry_work';
      readonly nodeId: string;
      readonly visit: number;
      readonly attempt: number;
      readonly workItemId: WorkItemId;
      readonly delayMs: number;
    }
  /** The next turn of a function's item, at once; also of an item that the same decision takes away. */
  | {
      readonly do: 'requeue_work';
      readonly nodeId: string;
      readonly visit: number;
      readonly attempt: number;
      readonly workItemId: WorkItemId;
    }
  /** Takes a work item away from queue, lease and retry timer alike. */
  | { readonly do: 'revoke_work'; readonly workItemId: WorkItemId }
  | {
      readonly do: 'start_timer';
      readonly name: string;
      readonly when: TimerSpec;
      readonly about: TimerAbout;
    }
  | { readonly do: 'cancel_timer'; readonly name: string }
  /** Stops a timer, or lets it run again, with the time it has left; of one that has fired, nothing. */
  | { readonly do: 'hold_timer' | 'release_timer'; readonly name: string }
  /** Cancels a child execution that no visit waits for any more. */
  | {
      readonly do: 'end_child';
      readonly childId: ExecutionId;
      /** Undos wait for its end, which it reports to that visit. Absent: nothing does. */
      readonly awaitedBy?: VisitRef;
    }
  /** Starts the run that continues this one, with its first event. */
  | {
      readonly do: 'start_successor';
      readonly executionId: ExecutionId;
      readonly started: Extract<ExecutionEvent, { kind: 'WorkflowStarted' }>;
    };

export interface VisitRef {
  readonly nodeId: string;
  readonly visit: number;
}

/** Purpose of a timer; stored with it and recorded by TimerFired. */
export interface TimerAbout {
  readonly purpose: TimerPurpose;
  readonly nodeId: string | null;
  readonly visit: number | null;
  /** The wait of a durable function. */
  readonly step?: string;
}

export function timerName(about: TimerAbout): string {
  if (about.nodeId === null) return about.purpose;
  const name = `${about.purpose}:${about.nodeId}#${String(about.visit)}`;
  return about.step === undefined ? name : `${name}/${about.step}`;
}

/** The wait that a timer of a durable function is of; undefined: it is of none. */
export function stepOfTimer(timer: TimerAbout & { readonly name: string }): string | undefined {
  if (timer.purpose !== 'function_wait') return undefined;
  const { purpose, nodeId, visit } = timer;
  return timer.name.slice(timerName({ purpose, nodeId, visit }).length + 1);
}
