import type { RecordedEvent } from '../event.ts';
import { visitKey } from '../state.ts';

/** The visits that an execution has undone, from its history. */
export interface UndoneVisits {
  /** In the order in which they were undone. */
  readonly visits: readonly UndoneVisit[];
  readonly keys: ReadonlySet<string>;
  /** Sequence of the first completion that is undone; null: it is in an earlier execution. */
  readonly firstSequence: number | null;
}

export interface UndoneVisit {
  readonly nodeId: string;
  readonly visit: number;
  /** The sequence of its completion; null: it completed in an earlier execution. */
  readonly sequence: number | null;
}

export interface UndoneNotes {
  note(event: RecordedEvent): void;
  /** Null: nothing is undone. */
  undone(): UndoneVisits | null;
  /** The next visit of each node, at the end of the history. */
  readonly nextVisit: ReadonlyMap<string, number>;
}

export function createUndoneNotes(): UndoneNotes {
  const begun = new Map<string, UndoneVisit>();
  const visits: UndoneVisit[] = [];
  const nextVisit = new Map<string, number>();
  return {
    nextVisit,
    note({ kind, nodeId, payload }) {
      if (kind === 'NodeScheduled') {
        nextVisit.set(nodeId, Math.max(nextVisit.get(nodeId) ?? 0, payload.visit + 1));
        if (payload.undoes === undefined) return;
        const { node_id: of, visit, sequence } = payload.undoes;
        begun.set(visitKey(nodeId, payload.visit), { nodeId: of, visit, sequence });
      } else if (kind === 'NodeCompleted') {
        const undo = begun.get(visitKey(nodeId, payload.visit));
        if (undo !== undefined) visits.push(undo);
      }
    },
    undone() {
      if (visits.length === 0) return null;
      const sequences = visits.map(({ sequence }) => sequence);
      return {
        visits,
        keys: new Set(visits.map((one) => visitKey(one.nodeId, one.visit))),
        firstSequence: sequences.includes(null)
          ? null
          : Math.min(...sequences.filter((sequence) => sequence !== null)),
      };
    },
  };
}
