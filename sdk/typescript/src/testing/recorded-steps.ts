import type { Entry, EntryUsage } from '../functions/journal.ts';

/** An event as the API, an export or the test runtime gives it. */
export interface RecordedEvent {
  /** As `StepRecorded`. */
  readonly kind: string;
  readonly node_id?: string | null;
  readonly payload: unknown;
}

/** An entry of a function's journal, in the order in which it was recorded. */
export interface RecordedStep {
  /** As `charge`, `charge#2` or `map[3]/charge`. */
  readonly name: string;
  /** `step`, `timer`, `event`, `approval`, `child`, `rollback` and others. */
  readonly kind: string;
  /** The visit of the node, from 0. A function that continues as new begins another visit. */
  readonly visit: number;
  readonly output: unknown;
  /** The message; null: it succeeded. */
  readonly error: string | null;
  /** The model usage that the step reported; null: it reported none. */
  readonly usage: RecordedUsage | null;
}

export interface RecordedUsage {
  /** Null: none, or several. */
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null: svc does not know the price. */
  readonly costUsd: number | null;
}

interface StepRecorded {
  readonly visit: number;
  readonly entries: readonly Entry[];
}

/** Entries of a visit of a function, that were recorded together. */
interface RecordedEntries {
  readonly nodeId: string;
  readonly visit: number;
  readonly entries: readonly Entry[];
}

interface WorkflowStarted {
  /** In a retry: the journals of functions that were under way, in the form of the API. */
  readonly carried?: {
    readonly journals?: readonly {
      readonly node_id: string;
      readonly visit: number;
      readonly entries: readonly Entry[];
    }[];
  };
}

/**
 * All entries, in their order. Those that a retry takes over come first as long as their visit has
 * not begun; once it has, its own events tell them.
 */
export function entriesIn(events: readonly RecordedEvent[]): readonly RecordedEntries[] {
  const recorded = events.flatMap(({ kind, node_id: nodeId, payload }) =>
    kind === 'StepRecorded' ? [{ nodeId: nodeId ?? '', ...(payload as StepRecorded) }] : [],
  );
  const isTold = ({ nodeId, visit }: RecordedEntries): boolean =>
    recorded.some((one) => one.nodeId === nodeId && one.visit === visit);
  return [...carriedIn(events).filter((one) => !isTold(one)), ...recorded];
}

function carriedIn(events: readonly RecordedEvent[]): readonly RecordedEntries[] {
  const started = events.find(({ kind }) => kind === 'WorkflowStarted');
  const { carried } = (started?.payload ?? {}) as WorkflowStarted;
  return (carried?.journals ?? []).map(({ node_id: nodeId, visit, entries }) => ({
    nodeId,
    visit,
    entries,
  }));
}

/** All entries of an execution. */
export function recordedSteps(events: readonly RecordedEvent[]): readonly RecordedStep[] {
  return events
    .filter(({ kind }) => kind === 'StepRecorded')
    .flatMap(({ payload }) => {
      const { visit, entries } = payload as StepRecorded;
      return entries.map(({ identity, kind, output, error, usage }) => ({
        name: identity,
        kind,
        visit,
        output: output ?? null,
        error: error?.message ?? null,
        usage: usage === undefined ? null : shownUsage(usage),
      }));
    });
}

function shownUsage(usage: EntryUsage): RecordedUsage {
  return {
    model: usage.model ?? null,
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    costUsd: usage.cost_usd ?? null,
  };
}
