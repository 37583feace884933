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
  /** Of the models that the step reported; null: it reported none. */
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

/** The entries of one visit of a node, in their order. */
export function entriesOf(
  events: readonly RecordedEvent[],
  of: { readonly nodeId: string; readonly visit: number },
): readonly Entry[] {
  return events
    .filter(({ kind, node_id: nodeId }) => kind === 'StepRecorded' && nodeId === of.nodeId)
    .map(({ payload }) => payload as StepRecorded)
    .filter(({ visit }) => visit === of.visit)
    .flatMap(({ entries }) => entries);
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
