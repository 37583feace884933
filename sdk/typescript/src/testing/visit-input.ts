import type { RecordedEvent } from './recorded-steps.ts';

interface Visit {
  readonly nodeId: string;
  readonly visit: number;
}

/** Payloads as far as they tell the input of a visit. */
interface WorkflowStarted {
  readonly input?: unknown;
  /** In a run that continues another one: the inputs of visits that begin in it. */
  readonly carried?: {
    readonly inputs?: readonly {
      readonly node_id: string;
      readonly visit: number;
      readonly input: unknown;
    }[];
  };
}

interface VisitPayload {
  readonly visit: number;
  readonly continues?: number;
  readonly input?: unknown;
}

/** The input of a function in a visit: what the visit before continued with, or that of the execution or its batch. */
export function inputOf(events: readonly RecordedEvent[], of: Visit): unknown {
  const before = payloadOf(events, 'NodeScheduled', of)?.continues;
  if (before !== undefined) {
    return payloadOf(events, 'NodeContinuedAsNew', { ...of, visit: before })?.input ?? {};
  }
  const started = events.find(({ kind }) => kind === 'WorkflowStarted');
  const { input, carried } = (started?.payload ?? {}) as WorkflowStarted;
  const batch = events.find(({ kind }) => kind === 'BatchClosed')?.payload as
    WorkflowStarted | undefined;
  const own = carried?.inputs?.find((one) => one.node_id === of.nodeId && one.visit === of.visit);
  return own?.input ?? batch?.input ?? input ?? {};
}

function payloadOf(
  events: readonly RecordedEvent[],
  kind: string,
  { nodeId, visit }: Visit,
): VisitPayload | undefined {
  return events
    .filter((event) => event.kind === kind && event.node_id === nodeId)
    .map(({ payload }) => payload as VisitPayload)
    .find((payload) => payload.visit === visit);
}
