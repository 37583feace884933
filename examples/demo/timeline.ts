import { printEvent } from './screen.ts';

/** An event as the API gives it, as far as the demo reads it. */
export interface Event {
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  readonly created_at: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Timeline {
  /** Prints an event that has come, and tells those who wait for one. */
  add(event: Event): void;
  /** Resolves when such an event has come, be it already there or not. */
  until(kind: string, nodeId?: string): Promise<Event>;
}

export function createTimeline(): Timeline {
  const events: Event[] = [];
  const waiting = new Set<(event: Event) => void>();
  return {
    add(event) {
      events.push(event);
      const start = Date.parse(events[0]?.created_at ?? event.created_at);
      printEvent({
        seconds: (Date.parse(event.created_at) - start) / 1000,
        sequence: event.sequence,
        kind: event.kind,
        node: event.node_id ?? '',
        detail: describe(event),
      });
      for (const tell of waiting) tell(event);
    },
    until: (kind, nodeId) =>
      new Promise((resolve) => {
        const check = (event: Event) => {
          if (event.kind !== kind || (nodeId !== undefined && event.node_id !== nodeId)) return;
          waiting.delete(check);
          resolve(event);
        };
        waiting.add(check);
        events.forEach(check);
      }),
  };
}

function describe({ kind, payload }: Event): string {
  switch (kind) {
    case 'NodeScheduled':
      return String(payload['node_kind']);
    case 'ToolCallCompleted':
      return `${String(payload['tool'])}, attempt ${String(payload['attempt'])}`;
    case 'NodeFailed':
      return String(payload['error']);
    case 'TimerStarted':
      return `${Number(payload['delay_ms']) / 1000} s`;
    case 'ApprovalRequested':
      return String(payload['description']);
    case 'ApprovalReceived':
      return `${String(payload['decision'])} by ${String(payload['user_id'])}`;
    default:
      return '';
  }
}
