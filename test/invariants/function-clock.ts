import type { EventOf } from './dump.ts';

/** The time of a function that stops while it is suspended, by the times of its events. */
export interface FunctionClock {
  readonly limitMs: number;
  readonly ranMs: number;
  /** Null: it is stopped. */
  readonly since: number | null;
}

/** The clock after an event of its visit; null: there is none. */
export function turnClock(clock: FunctionClock | null, event: EventOf): FunctionClock | null {
  const { kind, payload, created_at: now } = event;
  switch (kind) {
    case 'TimerStarted':
      if (payload['count_suspended'] !== false) return clock;
      return { limitMs: Number(payload['delay_ms']), ranMs: 0, since: now };
    case 'NodeSuspended':
      return payload['resumed'] === true ? clock : stopped(clock, now);
    // A budget holds it; a function that asks a person names the step.
    case 'ApprovalRequested':
      return payload['step'] === undefined ? stopped(clock, now) : clock;
    case 'NodeResumed':
      return clock && { ...clock, since: now };
    case 'RollbackScheduled':
      return null;
    default:
      return clock;
  }
}

/** How long it has run, at a time. */
export function ranBy(clock: FunctionClock, now: number): number {
  return stopped(clock, now).ranMs;
}

function stopped(clock: FunctionClock, now: number): FunctionClock;
function stopped(clock: FunctionClock | null, now: number): FunctionClock | null;
function stopped(clock: FunctionClock | null, now: number): FunctionClock | null {
  if (clock === null || clock.since === null) return clock;
  return { ...clock, ranMs: clock.ranMs + now - clock.since, since: null };
}
