import type { JsonObject } from '../../json.ts';
import { itemOf } from '../decisions/visit-entry.ts';
import type { Draft } from '../draft.ts';
import { type LiveVisit, NO_MEMORY, visitKey, type VisitScope } from '../state.ts';
import { runningChildren } from '../undo/ending-children.ts';
import type { EndingChild, Undoable, Undoing, UndoneItem } from '../undo/undo-state.ts';
import type { EventOf } from './event-of.ts';
import type { FoldedBy } from './folded-by.ts';
import { changeVisit, memoryOnward } from './live-visit.ts';

/* Folds what may be undone, and the visits that undo it; see `undo/undo-state.ts`. */

/** A visit completed that an end of the execution may undo. */
export function foldUndoable(
  draft: Draft,
  visit: LiveVisit,
  { payload, by }: { readonly payload: EventOf<'NodeCompleted'>['payload']; readonly by: FoldedBy },
): void {
  if (visit.undo === undefined || draft.ending !== null) return;
  const done: Undoable = {
    nodeId: visit.nodeId,
    visit: visit.visit,
    output: payload.output,
    item: itemAsEntered(draft, visit, by),
    sequence: draft.sequence,
  };
  draft.undo = { ...draft.undo, pending: [...draft.undo.pending, done] };
}

function itemAsEntered(
  draft: Draft,
  visit: LiveVisit,
  { plan, meter }: FoldedBy,
): UndoneItem | null {
  if (visit.item === null || plan === null) return null;
  const { nodeId, visit: ofMap } = visit.item;
  if (!draft.live.has(visitKey(nodeId, ofMap))) return null;
  return itemOf({ plan, draft, ...(meter !== undefined && { meter }) }, visit);
}

/** The scope of a visit that undoes another, which is pending no more. */
export function foldUndoBegun(
  draft: Draft,
  { node_id: nodeId, visit }: NonNullable<EventOf<'NodeScheduled'>['payload']['undoes']>,
): { readonly scope: VisitScope; readonly undoes: Undoing } {
  const { pending } = draft.undo;
  const index = pending.findLastIndex((one) => one.nodeId === nodeId && one.visit === visit);
  const of = pending[index];
  if (of !== undefined) draft.undo = { ...draft.undo, pending: pending.toSpliced(index, 1) };
  const { output = null, item = null } = of ?? {};
  return { scope: { data: draft.data, output }, undoes: { nodeId, visit, item, error: null } };
}

export function foldUndone(draft: Draft): void {
  draft.undo = { ...draft.undo, undone: draft.undo.undone + 1 };
}

/**
 * No attempt of an undo is left. Its item is a dead letter, and the visit waits for a person who puts
 * it back. Work of the engine has no dead letter: a person is asked. A visit that has no work, or that
 * a person has decided on, is over.
 */
export function foldUndoFailed(
  draft: Draft,
  visit: LiveVisit & { readonly undoes: Undoing },
  { error, rolled_back: rolledBack }: EventOf<'NodeFailed'>['payload'],
): void {
  const undoes = { ...visit.undoes, error };
  const isOver = visit.workItemId === null || visit.phase === 'approval' || rolledBack === true;
  if (isOver) return endUndo(draft, visit, error);
  if (visit.queue !== 'engine') {
    const memory = memoryOnward(visit);
    return changeVisit(draft, visit, { undoes, phase: 'work', signal: null, memory });
  }
  const shown = questionOf(visit, error);
  const memory = memoryOnward(visit) ?? NO_MEMORY;
  changeVisit(draft, visit, {
    undoes,
    phase: 'approval',
    attempt: 0,
    workItemId: null,
    childId: null,
    memory: { ...memory, asked: shown },
    signal: { is: 'ask', description: describe(visit.undoes, error), shown },
  });
}

/** The execution ends without it. */
export function endUndo(
  draft: Draft,
  { nodeId, visit, undoes }: LiveVisit & { readonly undoes: Undoing },
  error: string,
): void {
  draft.live.delete(visitKey(nodeId, visit));
  const failed = { nodeId: undoes.nodeId, visit: undoes.visit, error };
  draft.undo = { ...draft.undo, failed: [...draft.undo.failed, failed] };
}

function describe({ nodeId, visit }: Undoing, error: string): string {
  return `Undo of ${nodeId} (visit ${visit}) failed: ${error}. Approve to try it again; reject to end without it.`;
}

function questionOf({ undoes, scope }: LiveVisit, error: string): JsonObject {
  const { nodeId = '', visit = 0 } = undoes ?? {};
  return { undo: { node_id: nodeId, visit, output: scope.output, error } };
}

/** The visit ends, and undos wait for its children. */
export function foldEndingChildren(draft: Draft, visit: LiveVisit): void {
  const own = ownEndingChildren(draft);
  const key = visitKey(visit.nodeId, visit.visit);
  const known = own.get(key) ?? [];
  // A function that fails and is then cancelled, before its rollback begins, ends twice.
  const added = runningChildren(visit).filter(
    ({ step }) => !known.some((other) => other.step === step),
  );
  if (added.length === 0) return;
  own.set(key, [...known, ...added]);
  draft.undo = { ...draft.undo, endingChildren: own };
}

export function foldEndedChild(draft: Draft, ended: Omit<EndingChild, 'childId'>): void {
  const key = visitKey(ended.nodeId, ended.visit);
  const known = draft.undo.endingChildren?.get(key);
  if (known === undefined) return;
  const own = ownEndingChildren(draft);
  const left = known.filter(({ step }) => step !== ended.step);
  if (left.length === 0) own.delete(key);
  else own.set(key, left);
  const { endingChildren: _, ...undo } = draft.undo;
  draft.undo = own.size === 0 ? undo : { ...undo, endingChildren: own };
}

/** Copied once in a fold: a copy for every end would make the fold of 10 000 ends slow. */
function ownEndingChildren(draft: Draft): Map<string, readonly EndingChild[]> {
  const { endingChildren } = draft.undo;
  const known = owned.get(draft);
  if (known !== undefined && known === endingChildren) return known;
  const own = new Map(endingChildren);
  owned.set(draft, own);
  return own;
}

/** The children that each draft has copied and may therefore change. */
const owned = new WeakMap<Draft, Map<string, readonly EndingChild[]>>();

export function isUndo(visit: LiveVisit): visit is LiveVisit & { readonly undoes: Undoing } {
  return visit.undoes !== undefined;
}
