import { createUndoneNotes } from '../../../domain/execution/carry/undone-visits.ts';
import type { RecordedEvent } from '../../../domain/execution/event.ts';
import type { RetryPoint } from '../../../domain/execution/retry-point.ts';
import { visitKey } from '../../../domain/execution/state.ts';

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
  readonly outline: (point: RetryPoint) => ForkOutline;
} {
  const begun = new Map<string, number>();
  const kept = new Map<string, number>();
  const ends = createEndNotes();
  const undoneNotes = createUndoneNotes();
  return {
    add(piece) {
      for (const event of piece) {
        const { kind, nodeId, sequence } = event;
        undoneNotes.note(event);
        if (kind === 'NodeScheduled') count(begun, nodeId);
        if (sequence > until) continue;
        ends.note(event);
        if (kind === 'NodeCompleted') count(kept, nodeId);
      }
    },
    outline({ carried: { arrivals, maps = [], approvals = [], mailbox }, live }) {
      const over = ends.countOver(live);
      const left = [...begun].map(([nodeId, visits]): [string, number] => [
        nodeId,
        visits - (kept.get(nodeId) ?? 0) - (over.get(nodeId) ?? 0),
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

/**
 * Visits that failed or were cancelled, and that the workflow has left behind: it took another edge, or their
 * map collected the failure. Those that a fork begins again are in progress at its point, or their map is.
 */
function createEndNotes(): {
  readonly note: (event: RecordedEvent) => void;
  readonly countOver: (live: RetryPoint['live']) => ReadonlyMap<string, number>;
} {
  const mapsOfItems = new Map<string, string>();
  const ended = new Map<string, { readonly nodeId: string; readonly map: string | undefined }>();
  return {
    note({ kind, nodeId, payload }) {
      if (kind === 'NodeScheduled' && payload.map !== undefined) {
        const { node_id: map, visit } = payload.map;
        mapsOfItems.set(visitKey(nodeId, payload.visit), visitKey(map, visit));
      } else if (kind === 'NodeCompleted') {
        const key = visitKey(nodeId, payload.visit);
        mapsOfItems.delete(key);
        ended.delete(key);
      } else if (kind === 'NodeCancelled' || (kind === 'NodeFailed' && !payload.retryable)) {
        const key = visitKey(nodeId, payload.visit);
        ended.set(key, { nodeId, map: mapsOfItems.get(key) });
      }
    },
    countOver(live) {
      const over = new Map<string, number>();
      for (const [key, { nodeId, map }] of ended) {
        if (!live.has(key) && (map === undefined || !live.has(map))) count(over, nodeId);
      }
      return over;
    },
  };
}

function count(visits: Map<string, number>, nodeId: string): void {
  visits.set(nodeId, (visits.get(nodeId) ?? 0) + 1);
}

function listVisits(visits: Iterable<[string, number]>): readonly NodeVisits[] {
  return [...visits].map(([nodeId, number]) => ({ nodeId, visits: number }));
}
