import type { ExecutionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';

/*
 * Undo: an execution that fails or is cancelled undoes its completed visits, in reverse order of
 * completion, before its finalizers run. NodeScheduled names the node that undoes a visit, so any
 * fold knows what an end may undo, with or without a plan. The run of an undo is a visit of that
 * node, and names what it undoes. A visit leaves `pending` when its undo begins, so none begins twice.
 */

export interface UndoState {
  /** Completed visits that an end may undo, in order of completion. */
  readonly pending: readonly Undoable[];
  /** The number of visits that are undone. */
  readonly undone: number;
  /** Visits that could not be undone, and for which nothing is tried any more. */
  readonly failed: readonly FailedUndo[];
  /** Children of visits that are over, for whose ends undos wait, by `visitKey`; absent: none. */
  readonly endingChildren?: EndingChildren;
}

export const NO_UNDO: UndoState = { pending: [], undone: 0, failed: [] };

/** A child by the visit that started it: a child that continues as another run has another id. */
export interface EndingChild {
  readonly nodeId: string;
  readonly visit: number;
  /** The wait of a durable function. */
  readonly step: string | null;
  readonly childId: ExecutionId;
  /** The earlier run that started it; absent: this execution did. */
  readonly startedBy?: ExecutionId;
}

/** Never empty, and no visit of it has an empty list. */
export type EndingChildren = ReadonlyMap<string, readonly EndingChild[]>;

export interface Undoable {
  readonly nodeId: string;
  readonly visit: number;
  readonly output: JsonValue;
  /** The item of its map, under its key; null: it was none, or the fold had no plan. */
  readonly item: UndoneItem | null;
  /** Sequence of its NodeCompleted; null: it completed in an execution that this one continues. */
  readonly sequence: number | null;
}

export interface UndoneItem {
  readonly key: string;
  readonly value: JsonValue;
}

export interface FailedUndo {
  readonly nodeId: string;
  readonly visit: number;
  readonly error: string;
}

/** Set on a visit that undoes another. */
export interface Undoing {
  readonly nodeId: string;
  readonly visit: number;
  readonly item: UndoneItem | null;
  /** Not null: no attempt is left, and a person must decide; other undos do not wait for it. */
  readonly error: string | null;
}

/** Summary of undo in the event that ends an execution. */
export type UndoPayload = {
  readonly undone: number;
  /** The first of those that are not undone. */
  readonly not_undone: readonly {
    readonly node_id: string;
    readonly visit: number;
    readonly error: string;
  }[];
};

const TOLD_MAX = 100;

/** Undefined: no undo has run. */
export function tellUndo({ undone, failed }: UndoState): UndoPayload | undefined {
  if (undone === 0 && failed.length === 0) return undefined;
  return {
    undone,
    not_undone: failed
      .slice(0, TOLD_MAX)
      .map(({ nodeId, visit, error }) => ({ node_id: nodeId, visit, error })),
  };
}
