import { createUndoneNotes } from '../../../domain/execution/carry/undone-visits.ts';
import type { CarriedPayload } from '../../../domain/execution/event-payloads.ts';
import type { RecordedEvent } from '../../../domain/execution/event.ts';

/** Outlines a fork: the nodes that it keeps, and those that run again. */
export interface ForkOutline {
  /** Nodes that begin at once, in the order of their tokens. */
  readonly begins: readonly string[];
  /** Visits that were complete at the point. */
  readonly kept: readonly NodeVisits[];
  /** Visits of the original that were under way at the point, or began after it. */
  readonly left: readonly NodeVisits[];
  /** Maps that begin again, with the number of items that do not. */
  readonly maps: readonly { readonly nodeId: string; readonly keptItems: number }[];
  /** Approvals that stay valid for the same calls, by node. */
  readonly approvals: readonly NodeVisits[];
  /** External events that no node has taken yet. */
  readonly waitingEvents: number;
  /** Visits that were complete at the point, and whose undo has completed since. */
  readonly undone: readonly { readonly nodeId: string; readonly visit: number }[];
}

export interface NodeVisits {
  readonly nodeId: string;
  readonly visits: number;
}

/** Counts the visits of a history that is read piece by piece. */
export function createForkNotes(until: number): {
  readonly add: (piece: readonly RecordedEvent[]) => void;
  readonly outline: (carried: CarriedPayload) => ForkOutline;
} {
  const begun = new Map<string, number>();
  const kept = new Map<string, number>();
  const undoneNotes = createUndoneNotes();
  return {
    add(piece) {
      for (const event of piece) {
        const { kind, nodeId, sequence } = event;
        undoneNotes.note(event);
        if (kind === 'NodeScheduled') count(begun, nodeId);
        if (kind === 'NodeCompleted' && sequence <= until) count(kept, nodeId);
      }
    },
    outline({ arrivals, maps = [], approvals = [], mailbox }) {
      const left = [...begun].map(([nodeId, visits]): [string, number] => [
        nodeId,
        visits - (kept.get(nodeId) ?? 0),
      ]);
      const approved = new Map<string, number>();
      for (const { node_id: nodeId } of approvals) count(approved, nodeId);
      return {
        begins: [...new Set(arrivals.map(({ to }) => to))],
        kept: listVisits(kept),
        left: listVisits(left.filter(([, visits]) => visits > 0)),
        maps: maps.map(({ node_id: nodeId, done }) => ({ nodeId, keptItems: done.length })),
        approvals: listVisits(approved),
        waitingEvents: mailbox.length,
        undone: (undoneNotes.undone()?.visits ?? [])
          .filter(({ sequence }) => (sequence ?? 0) <= until)
          .map(({ nodeId, visit }) => ({ nodeId, visit })),
      };
    },
  };
}

function count(visits: Map<string, number>, nodeId: string): void {
  visits.set(nodeId, (visits.get(nodeId) ?? 0) + 1);
}

function listVisits(visits: Iterable<[string, number]>): readonly NodeVisits[] {
  return [...visits].map(([nodeId, number]) => ({ nodeId, visits: number }));
}
