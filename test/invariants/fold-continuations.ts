import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import { textIn, type EventOf } from './dump.ts';
import type { Break, FunctionVisit } from './fold-functions.ts';

/** Creates a visit, either from a token or as the successor of a visit that continued as new. */
export function beginVisit(
  { node_id: nodeId, payload }: EventOf,
  of: {
    readonly visits: ReadonlyMap<string, FunctionVisit>;
    /** The first event of the execution. */
    readonly first: EventOf | undefined;
    readonly fail: Break;
  },
): FunctionVisit {
  const { continues } = payload;
  const before = of.visits.get(`${nodeId}#${JSON.stringify(continues ?? null)}`);
  if (continues !== undefined && before?.place !== 'continued') {
    of.fail('next', `it continues one that is ${before?.place ?? 'not there'}`);
  }
  const input =
    continues === undefined ? carriedInput(of.first, nodeId, payload) : before?.continued?.input;
  if (before !== undefined) {
    before.place = 'over';
    before.isFollowed = true;
  }
  const workItemId = textIn(payload, 'work_item_id');
  return {
    workItemId,
    items: new Set(workItemId === '' ? [] : [workItemId]),
    nodeId: nodeId ?? '',
    number: Number(payload['visit']),
    input: input ?? null,
    isItem: payload['map'] !== undefined,
    isNext: continues !== undefined,
    entries: [],
    turn: 0,
    attempt: 0,
    clock: null,
    mode: 'run',
    owed: [],
    waits: new Map(),
    continued: null,
    hasCompleted: false,
    isFollowed: false,
    place: 'at work',
  };
}

/** The input that the retried execution, or the run before, has handed over. */
function carriedInput(
  first: EventOf | undefined,
  nodeId: string | null,
  { visit }: JsonObject,
): JsonValue | undefined {
  const carried = first?.payload['carried'];
  const inputs = isJsonObject(carried) ? carried['inputs'] : null;
  const all = Array.isArray(inputs) ? inputs.filter(isJsonObject) : [];
  return all.find((one) => one['node_id'] === nodeId && one['visit'] === visit)?.['input'];
}

/** Only the holder of the turn may continue the visit, and only if no compensation remains. */
export function continueAsNew(
  visit: FunctionVisit,
  { event: { payload }, fail }: { readonly event: EventOf; readonly fail: Break },
): void {
  const { turn, attempt, place, mode, owed, workItemId } = visit;
  const isUnderWay =
    payload['turn'] === turn &&
    payload['attempt'] === attempt &&
    payload['work_item_id'] === workItemId &&
    place === 'at work' &&
    mode === 'run';
  if (!isUnderWay) {
    const { turn: of, attempt: tried } = payload;
    const asked = JSON.stringify([of ?? null, tried ?? null]);
    fail('continue', `turn and attempt ${asked}, it was ${mode} ${turn}, ${attempt}, ${place}`);
  }
  if (owed.length > 0) fail('continue', `left were ${owed.join(', ')}`);
  const children = [...visit.waits.values()].flatMap(({ childId }) => childId || []);
  visit.continued = { input: payload['input'] ?? null, children };
  visit.waits.clear();
  visit.place = 'continued';
}

/**
 * A visit that continued is followed by another visit or another run, unless the execution fails or
 * is cancelled.
 */
export function checkFollowed(
  { kind, payload }: EventOf,
  visits: Iterable<FunctionVisit>,
  fail: Break,
): void {
  if (kind !== 'WorkflowCompleted' || payload['continued_as'] !== undefined) return;
  for (const { place, nodeId } of visits) {
    if (place === 'continued') fail('next', `none follows that of ${nodeId}`);
  }
}
