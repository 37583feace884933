import type { RecordedEvent } from '../event.ts';
import type { CarriedPayload } from '../event-payloads.ts';
import type { JournalEntry } from '../function-events.ts';
import { type ExecutionState, visitKey } from '../state.ts';

/**
 * A retry takes these from a history, beside its state. The notes of visits that are no longer live are
 * dropped from time to time, so that they stay as small as the state, however long the history is.
 */
export interface RetryNotes {
  /** Visits whose compensations were to run, and visits that are undone, by `visitKey`. */
  readonly rolledBack: ReadonlySet<string>;
  /** The nodes that a visit came from, by the sequence that scheduled it. */
  readonly scheduledFrom: ReadonlyMap<number, readonly string[]>;
  /** By the `visitKey` of the function. */
  readonly journals: ReadonlyMap<string, readonly JournalEntry[]>;
  /** The last visit of each item, by the `visitKey` of the map and the index of the item. */
  readonly itemVisits: ReadonlyMap<string, ReadonlyMap<number, ItemVisit>>;
  /** Approvals for visits that did not complete, including carried approvals. */
  openApprovals(): NonNullable<CarriedPayload['approvals']>;
  note(event: RecordedEvent): void;
  /** An event after the point of a fork: an approval of a call holds for the same call of the fork. */
  noteLater(event: RecordedEvent): void;
  /** Drops what belongs to none of these visits. */
  keep(live: ExecutionState['live']): void;
}

export interface ItemVisit {
  readonly key: string;
  readonly visit: number;
}

/** `undone`: visits that begin again as others, as those that were rolled back do. */
export function createRetryNotes(undone: ReadonlySet<string> = new Set()): RetryNotes {
  const rolledBack = new Set<string>(undone);
  const scheduledFrom = new Map<number, readonly string[]>();
  const journals = new Map<string, JournalEntry[]>();
  const itemVisits = new Map<string, Map<number, ItemVisit>>();
  const approvals = createApprovalNotes();

  return {
    rolledBack,
    scheduledFrom,
    journals,
    itemVisits,
    openApprovals: approvals.open,
    note(event) {
      approvals.note(event);
      const { kind, nodeId, payload } = event;
      if (kind === 'RollbackScheduled') rolledBack.add(visitKey(nodeId, payload.visit));
      if (kind === 'StepRecorded') {
        const key = visitKey(nodeId, payload.visit);
        const entries = journals.get(key) ?? [];
        entries.push(...payload.entries.map(withoutSequence));
        journals.set(key, entries);
      }
      if (kind !== 'NodeScheduled') return;
      scheduledFrom.set(event.sequence, payload.from);
      if (payload.map === undefined) return;
      const { node_id: mapNode, visit, index } = payload.map;
      const ofMap = visitKey(mapNode, visit);
      const items = itemVisits.get(ofMap) ?? new Map<number, ItemVisit>();
      items.set(index, { key: visitKey(nodeId, payload.visit), visit: payload.visit });
      itemVisits.set(ofMap, items);
    },
    noteLater: approvals.noteLater,
    keep(live) {
      const scheduled = new Set(live.values().map(({ scheduledSequence }) => scheduledSequence));
      for (const sequence of scheduledFrom.keys()) {
        if (!scheduled.has(sequence)) scheduledFrom.delete(sequence);
      }
      for (const notes of [journals, itemVisits]) {
        for (const key of notes.keys()) if (!live.has(key)) notes.delete(key);
      }
    },
  };
}

/** The events of the execution before are not those of the next. */
function withoutSequence({ event_sequence: _, ...entry }: JournalEntry): JournalEntry {
  return entry;
}

function createApprovalNotes(): {
  readonly note: (event: RecordedEvent) => void;
  readonly noteLater: (event: RecordedEvent) => void;
  readonly open: RetryNotes['openApprovals'];
} {
  const open = new Map<string, { node_id: string; visit: number; hashes: Set<string> }>();
  const add = (nodeId: string, visit: number, hash: string | undefined): void => {
    if (hash === undefined) return;
    const key = visitKey(nodeId, visit);
    const known = open.get(key) ?? { node_id: nodeId, visit, hashes: new Set<string>() };
    known.hashes.add(hash);
    open.set(key, known);
  };
  const noteApproval = ({ kind, nodeId, payload }: RecordedEvent): void => {
    if (kind === 'NodeScheduled') add(nodeId, payload.visit, payload.granted_hash);
    else if (kind === 'ApprovalReceived' && payload.decision === 'approved') {
      add(nodeId, payload.visit, payload.shown_hash);
    }
  };
  return {
    note(event) {
      const { kind, nodeId, payload } = event;
      if (kind === 'WorkflowStarted') {
        for (const { node_id, visit, shown_hash: hash } of payload.carried?.approvals ?? []) {
          add(node_id, visit, hash);
        }
      } else if (kind === 'NodeCompleted') open.delete(visitKey(nodeId, payload.visit));
      else noteApproval(event);
    },
    noteLater: noteApproval,
    open: () =>
      [...open.values()].flatMap(({ node_id, visit, hashes }) =>
        [...hashes].map((shown_hash) => ({ node_id, visit, shown_hash })),
      ),
  };
}
