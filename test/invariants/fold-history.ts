import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import type { EventOf } from './dump.ts';

/**
 * State, steps, status and open work of an execution, as a reader of the documentation computes
 * them from the events. The fold shares no code with the product's own.
 */
export interface Folded {
  readonly state: JsonObject;
  /** The state together with accepted approvals that had no consequences yet, or before the end. */
  readonly acceptedState: JsonObject;
  readonly stepsExecuted: number;
  /** Null: the execution has not ended. */
  readonly ended: 'completed' | 'failed' | 'cancelled' | null;
  /** Work items of visits that have not completed, failed permanently or been cancelled. */
  readonly openItems: ReadonlyMap<string, OpenItem>;
  /** The scopes of its pauses. */
  readonly pauses: ReadonlySet<string>;
}

export interface OpenItem {
  readonly workItemId: string;
  readonly nodeId: string;
  /** The last attempt has failed, and the next one is not scheduled yet. */
  readonly isBetweenAttempts: boolean;
}

interface Visit {
  readonly outputKey: string | null;
  readonly isQuestion: boolean;
  item: OpenItem | null;
  accepted: JsonObject | null;
  /** Compensations of a durable function that are registered and have not run. */
  owed: readonly string[];
  /** Only the compensations still run, and then the visit is over. */
  rollsBack: boolean;
  /** It undoes another visit, so its failure waits for a person. */
  readonly isUndo: boolean;
}

type Visits = Map<string, Visit>;

/** Caches the fold, because dumps of one history share events. */
export function foldHistory(events: readonly EventOf[]): Folded {
  const last = events.at(-1);
  const known = last === undefined ? undefined : folds.get(last);
  const isSame =
    known?.events.length === events.length &&
    known.events.every((event, index) => event === events[index]);
  if (known !== undefined && isSame) return known.folded;
  const folded = fold(events);
  if (last !== undefined) folds.set(last, { events, folded });
  return folded;
}

const folds = new WeakMap<
  EventOf,
  { readonly events: readonly EventOf[]; readonly folded: Folded }
>();

function fold(events: readonly EventOf[]): Folded {
  const visits: Visits = new Map();
  let state: JsonObject = {};
  let stepsExecuted = 0;
  let ended: Folded['ended'] = null;
  const pauses = new Set<string>();
  const atEnd: Visit[] = [];
  for (const event of events) {
    const { kind, node_id: nodeId, payload } = event;
    const visit = visitOf(event);
    switch (kind) {
      case 'WorkflowStarted':
      case 'BatchClosed': {
        const carried = payload['carried'];
        const first = isJsonObject(carried) ? carried['state'] : payload['input'];
        state = isJsonObject(first) ? first : {};
        break;
      }
      case 'NodeScheduled':
        // The new visit replaces the one that continued as new.
        visits.delete(visitOf({ ...event, payload: { visit: payload['continues'] ?? null } }));
        visits.set(visit, {
          outputKey: textOf(payload['output_key']),
          isQuestion: payload['node_kind'] === 'human_approval',
          item: itemOf(nodeId, payload['work_item_id']),
          accepted: null,
          owed: [],
          rollsBack: false,
          isUndo: payload['undoes'] !== undefined,
        });
        break;
      case 'StepRecorded': {
        const known = visits.get(visit);
        if (known !== undefined) known.owed = owedAfter(known.owed, payload['entries']);
        break;
      }
      case 'NodeContinuedAsNew': {
        const known = visits.get(visit);
        if (known !== undefined) known.item = null;
        break;
      }
      case 'NodeSuspended': {
        const known = visits.get(visit);
        if (known !== undefined && payload['resumed'] !== true) known.item = null;
        break;
      }
      case 'RollbackScheduled': {
        const known = visits.get(visit);
        if (known !== undefined) known.item = itemOf(nodeId, payload['work_item_id']);
        break;
      }
      case 'NodeResumed':
      case 'RetryScheduled': {
        const known = visits.get(visit);
        const id = payload['work_item_id'] ?? known?.item?.workItemId;
        if (known !== undefined) {
          known.item = itemOf(nodeId, id);
          known.accepted = null;
        }
        state = mergePatch(state, payload['state_patch']);
        break;
      }
      case 'ApprovalRequested': {
        const known = visits.get(visit);
        // The visit itself waits, without an item, for a person.
        if (known !== undefined && payload['step'] === undefined) known.item = null;
        break;
      }
      case 'NodeParked':
      case 'ChildWorkflowStarted': {
        const known = visits.get(visit);
        // Such an event of a function belongs to one of its waits, and its item stays open.
        if (known !== undefined && payload['step'] === undefined) known.item = null;
        break;
      }
      case 'NodeCompleted': {
        const key = visits.get(visit)?.outputKey ?? null;
        if (key !== null) state = { ...state, [key]: payload['output'] ?? null };
        state = mergePatch(state, payload['state_patch']);
        stepsExecuted += 1;
        visits.delete(visit);
        break;
      }
      case 'NodeFailed': {
        const known = visits.get(visit);
        if (known !== undefined && payload['retryable'] !== true && !known.isUndo) {
          if (known.rollsBack || !isRolledBackNext(known, event)) visits.delete(visit);
        } else if (known?.item && payload['retryable'] === true) {
          known.item = { ...known.item, isBetweenAttempts: true };
        }
        break;
      }
      case 'ApprovalReceived': {
        const known = visits.get(visit);
        const isOfStep = payload['step'] !== undefined;
        if (known !== undefined && payload['decision'] === 'approved' && !isOfStep) {
          known.accepted = payload;
        }
        break;
      }
      case 'NodeCancelled': {
        const known = visits.get(visit);
        if (known !== undefined && WITH_ALL.has(payload['reason'])) atEnd.push(known);
        if (known === undefined || !isRolledBackNext(known, event)) visits.delete(visit);
        break;
      }
      case 'ExecutionPaused':
        pauses.add(textOf(payload['scope']) ?? '');
        break;
      case 'ExecutionResumed':
        pauses.delete(textOf(payload['scope']) ?? '');
        break;
      // Only a cancel ends a paused execution.
      case 'WorkflowEnding':
        pauses.clear();
        break;
      case 'WorkflowCompleted':
      case 'WorkflowFailed':
      case 'WorkflowCancelled':
        ended = ENDS[kind];
        atEnd.push(...visits.values());
        visits.clear();
        pauses.clear();
        break;
      default:
    }
  }
  const open = [...visits.values()].flatMap(({ item }) => (item === null ? [] : [item]));
  return {
    state,
    acceptedState: [...atEnd, ...visits.values()].reduce(withAccepted, state),
    stepsExecuted,
    ended,
    openItems: new Map(open.map((item) => [item.workItemId, item])),
    pauses,
  };
}

/** A function that owes compensations runs them before its outcome counts. */
function isRolledBackNext(visit: Visit, { payload }: EventOf): boolean {
  if (visit.owed.length === 0 || payload['rolled_back'] === true) return false;
  visit.rollsBack = true;
  visit.item = null;
  return true;
}

export function owedAfter(
  before: readonly string[],
  entries: JsonValue | undefined,
): readonly string[] {
  const all = Array.isArray(entries) ? entries.filter(isJsonObject) : [];
  return all.reduce((owed, { kind, identity }) => {
    if (typeof identity !== 'string') return owed;
    if (kind === 'on_rollback') return [...owed, identity];
    return kind === 'rollback' ? owed.filter((one) => `rollback/${one}` !== identity) : owed;
  }, before);
}

const WITH_ALL = new Set<unknown>(['the execution failed', 'the execution was cancelled']);

function withAccepted(state: JsonObject, { outputKey, isQuestion, accepted }: Visit): JsonObject {
  if (accepted === null) return state;
  const { decision, user_id = null, comment = null, state_patch } = accepted;
  const output = { decision: decision ?? null, user_id, comment };
  const answered = isQuestion && outputKey !== null ? { ...state, [outputKey]: output } : state;
  return mergePatch(answered, state_patch);
}

/** `<node>#<number of the visit>` */
export function visitOf({ node_id: nodeId, payload }: EventOf): string {
  return `${nodeId}#${JSON.stringify(payload['visit'] ?? null)}`;
}

export const ENDS = {
  WorkflowCompleted: 'completed',
  WorkflowFailed: 'failed',
  WorkflowCancelled: 'cancelled',
} as const;

function itemOf(nodeId: string | null, id: JsonValue | undefined): OpenItem | null {
  if (typeof id !== 'string') return null;
  return { workItemId: id, nodeId: nodeId ?? '', isBetweenAttempts: false };
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** RFC 7396. */
export function mergePatch(target: JsonObject, patch: JsonValue | undefined): JsonObject {
  if (!isJsonObject(patch)) return target;
  const result: Record<string, JsonValue> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const present = result[name];
    if (value === null) delete result[name];
    else if (isJsonObject(value)) {
      result[name] = mergePatch(isJsonObject(present) ? present : {}, value);
    } else result[name] = value;
  }
  return result;
}
