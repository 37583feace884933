import type { ExecutionId, WorkItemId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { WorkQueue } from '../work/work-item.ts';
import type { TimerSpec } from '../workflow/plan/plan.ts';
import type { ExecutionEvent, TimerPurpose } from './event.ts';

/** What a decision asks the store to do, in the same transaction as its events. */
export type Effect =
  /** Work for a visit: its first, or what goes on after it was parked. */
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
  /** Takes a work item away from queue, lease and retry timer alike. */
  | { readonly do: 'revoke_work'; readonly workItemId: WorkItemId }
  | {
      readonly do: 'start_timer';
      readonly name: string;
      readonly when: TimerSpec;
      readonly about: TimerAbout;
    }
  | { readonly do: 'cancel_timer'; readonly name: string }
  /** Cancels a child execution that nobody waits for any more. */
  | { readonly do: 'end_child'; readonly childId: ExecutionId }
  /** Starts the run that goes on where this one ends, with its first event. */
  | {
      readonly do: 'start_successor';
      readonly executionId: ExecutionId;
      readonly started: Extract<ExecutionEvent, { kind: 'WorkflowStarted' }>;
    };

/** What a timer is for; stored with it and recorded by TimerFired. */
export interface TimerAbout {
  readonly purpose: TimerPurpose;
  readonly nodeId: string | null;
  readonly visit: number | null;
}

export function timerName(about: TimerAbout): string {
  return about.nodeId === null
    ? about.purpose
    : `${about.purpose}:${about.nodeId}#${String(about.visit)}`;
}
