import { byExecution } from './check-histories.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * Executions take places of their tenant's limit, or wait in its line; nothing starts below an execution that has
 * ended.
 */
export function checkPlaces(dumps: readonly Dump[]): Violation[] {
  const last = dumps.at(-1);
  return [...dumps.flatMap(checkHolders), ...(last === undefined ? [] : checkBegins(last))];
}

/** Ids of executions without a place of their own: they wait, or use their parent's. */
export function withoutPlace({ child_places: places = [] }: Dump): ReadonlySet<string> {
  return new Set(places.map(({ execution_id: id }) => id));
}

function checkHolders(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const places = dump.child_places ?? [];
  const live = new Set(dump.executions.filter(isLive).map(({ id }) => id));
  const lent = Map.groupBy(
    places.filter(({ execution_id: id, state }) => state === 'lent' && live.has(id)),
    ({ parent_execution_id: id }) => id,
  );
  const waiting = places.filter(({ state }) => state !== 'lent');
  const inLine = new Map(places.map(({ execution_id: id, state }) => [id, state]));
  return [
    ...violations('a parent lends its place to one child at a time', lent, ([parent, children]) =>
      children.length === 1
        ? null
        : {
            about: { parent: parent ?? '' },
            saw: children.map(({ execution_id: id }) => id).join(' and '),
          },
    ),
    ...violations(
      'an execution that waits for a place of its tenant has not begun',
      waiting,
      ({ execution_id: id }) => {
        const begun = (events.get(id) ?? []).find(isBegin);
        return begun === undefined ? null : { about: { execution: id }, saw: begun.kind };
      },
    ),
    ...violations(
      'what waits for its key takes no place of its tenant before',
      dump.flow_waits ?? [],
      ({ execution_id: id }) =>
        inLine.get(id) === 'waiting'
          ? { about: { execution: id }, saw: 'it waits for a place of its tenant, too' }
          : null,
    ),
    ...violations(
      'an execution that has ended waits for no place',
      waiting,
      ({ execution_id: id }) =>
        live.has(id) ? null : { about: { child: id }, saw: 'it has ended' },
    ),
  ];
}

/** Compares the write order of events where the store has it, because clocks may be set back. */
function checkBegins(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const parents = new Map(dump.executions.map((row) => [row.id, row.parent_execution_id]));
  const children = dump.executions.filter((row) => row.parent_execution_id !== null);
  // One commit may start a child and then end its parent: their order is that of the parent's events.
  const starts = new Map(
    dump.events
      .filter(({ kind }) => kind === 'ChildWorkflowStarted')
      .map((event) => [textIn(event.payload, 'child_execution_id'), event]),
  );
  return violations('nothing begins below an execution that has ended', children, ({ id }) => {
    const story = events.get(id) ?? [];
    const started = starts.get(id) ?? story[0];
    const firsts = [started, story.find(isBegin)].filter((event) => event !== undefined);
    for (let above = parents.get(id) ?? null; above !== null; above = parents.get(above) ?? null) {
      const end = events.get(above)?.at(-1);
      if (end === undefined || !ENDS.has(end.kind)) continue;
      // The next run takes over the children.
      if (textIn(end.payload, 'continued_as') !== '') continue;
      const late = firsts.find((event) => isAfter(event, end));
      if (late !== undefined) {
        return { about: { execution: id, ancestor: above }, saw: `${late.kind} after ${end.kind}` };
      }
    }
    return null;
  });
}

const ENDS: ReadonlySet<string> = new Set([
  'WorkflowCompleted',
  'WorkflowFailed',
  'WorkflowCancelled',
]);

function isAfter(event: EventOf, end: EventOf): boolean {
  if (event.place === undefined || end.place === undefined) return false;
  return event.place > end.place;
}

function isBegin({ kind }: EventOf): boolean {
  return kind === 'NodeScheduled';
}

function isLive({ status }: Dump['executions'][number]): boolean {
  return status === 'running' || status === 'paused';
}
