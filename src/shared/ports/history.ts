import type { RecordedEvent } from '../domain/execution/event.ts';
import type { ExecutionId } from '../domain/ids.ts';

/** The events of executions, as they are on record. */
export interface History {
  /** At most `limit` events with a greater sequence than `after`, in order. */
  events(params: {
    readonly executionId: ExecutionId;
    readonly after: number;
    readonly limit: number;
  }): Promise<readonly RecordedEvent[]>;
}
