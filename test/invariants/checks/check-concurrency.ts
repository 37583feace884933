import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { byExecution } from './check-histories.ts';
import { textIn, type Dump, type EventOf, type ExecutionOf } from '../dump.ts';
import type { History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** The `concurrency` of a workflow. */
export interface KeyOf {
  readonly limit: number;
  readonly whenFull: 'queue' | 'refuse' | 'cancel_oldest';
  /** Starts gather before, so a retry, which does not, may pass them. */
  readonly gathers?: true;
  /** The key of an execution, from the `token` in its input. */
  readonly keyOf: (token: string) => string;
}

type Keys = Readonly<Partial<Record<string, KeyOf>>>;

/** An execution with a key, as its events tell. */
interface Keyed extends KeyOf {
  readonly row: ExecutionOf;
  /** Names its tenant and workflow too. */
  readonly key: string;
  readonly started: EventOf;
  /** Its first step; undefined: it has not begun. */
  readonly begun: EventOf | undefined;
  /** Its start deadline passed, so it left the queue. */
  readonly left: EventOf | undefined;
  /** Undefined: it is live. */
  readonly ended: EventOf | undefined;
}

/** Executions of a key run as many at a time as the limit says, in order, and end only for newer ones. */
export function checkConcurrency(
  dumps: readonly Dump[],
  history: History,
  keys: Keys = {},
): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  return [
    ...dumps.flatMap((dump) => checkRunning(keyedIn(dump, keys))),
    ...checkOrder('executions of a key begin in the order of their starts', {
      dump: last,
      keyed: keyedIn(last, keys),
    }),
    ...(history.clockWasSetBack === true ? [] : checkDisplaced(last, keyedIn(last, keys))),
  ];
}

function keyedIn(dump: Dump, keys: Keys): readonly Keyed[] {
  const events = byExecution(dump);
  return dump.executions.flatMap((row) => {
    const of = keys[row.workflow_id];
    const story = events.get(row.id) ?? [];
    const [started] = story;
    if (of === undefined || started === undefined || row.parent_execution_id !== null) return [];
    const key = of.keyOf(tokenOf(started));
    return [
      {
        ...of,
        row,
        key: JSON.stringify([row.tenant_id, row.workflow_id, key]),
        ...toldBy(row, story),
        started,
      },
    ];
  });
}

function toldBy({ status }: ExecutionOf, story: readonly EventOf[]) {
  return {
    begun: story.find(({ kind }) => kind === 'NodeScheduled'),
    left: story.find(
      ({ kind, payload }) => kind === 'TimerFired' && payload['purpose'] === 'start_deadline',
    ),
    ended: status === 'running' || status === 'paused' ? undefined : story.at(-1),
  };
}

/**
 * Starts of a tenant with a limit, which take its places alone: without a key or a time, they stand in its
 * line from their start.
 */
export function checkTenantOrder(
  dump: Dump,
  of: { readonly limits: Readonly<Record<string, number>>; readonly apart: ReadonlySet<string> },
): Violation[] {
  const events = byExecution(dump);
  const keyed = dump.executions.flatMap((row): readonly Keyed[] => {
    const limit = of.limits[row.tenant_id];
    const story = events.get(row.id) ?? [];
    const [started] = story;
    if (limit === undefined || started === undefined || row.parent_execution_id !== null) return [];
    if (of.apart.has(row.workflow_id) || started.payload['continued_from'] !== undefined) return [];
    const as = { limit, whenFull: 'queue', keyOf: () => '' } as const;
    return [{ ...as, row, key: row.tenant_id, started, ...toldBy(row, story) }];
  });
  return checkOrder('starts of a tenant with a limit begin in their order', { dump, keyed });
}

function checkRunning(keyed: readonly Keyed[]): Violation[] {
  // A start that may be refused has its place from its first event on.
  const running = keyed.filter(
    ({ begun, ended, whenFull }) =>
      ended === undefined && (begun !== undefined || whenFull === 'refuse'),
  );
  return violations(
    'no more executions of a key run than its limit',
    Map.groupBy(running, ({ key }) => key),
    ([key, of]) => {
      const limit = of[0]?.limit ?? 0;
      return of.length <= limit
        ? null
        : { about: { key }, saw: `${of.length} run, and a limit of ${limit}` };
    },
  );
}

/**
 * Those that began to wait before, and neither have begun nor ended, have a place that they have not used
 * yet. Compares the write order of events, where the store has it. A removal gives places in that order away.
 */
function checkOrder(
  rule: string,
  { dump, keyed }: { readonly dump: Dump; readonly keyed: readonly Keyed[] },
): Violation[] {
  if ((dump.retired_executions ?? []).length > 0) return [];
  const waiting = keyed.filter(
    ({ whenFull, gathers }) => whenFull !== 'refuse' && gathers !== true,
  );
  const byKey = Map.groupBy(waiting, ({ key }) => key);
  return violations(rule, waiting, (one) => {
    const { begun, limit, row } = one;
    if (begun?.place === undefined) return null;
    const { place } = begun;
    const passed = (byKey.get(one.key) ?? []).filter(
      (other) =>
        (other.started.place ?? 0) < (one.started.place ?? 0) &&
        (other.begun?.place ?? Infinity) > place &&
        (other.left?.place ?? Infinity) > place &&
        (other.ended?.place ?? Infinity) > place,
    );
    if (passed.length < limit) return null;
    return { about: { execution: row.id }, saw: `${passed.length} that started before wait` };
  });
}

/** The token in the input of a start; of a batch, that of its first start. */
export function tokenOf({ payload: { input = null } }: EventOf): string {
  const items = isJsonObject(input) ? input['items'] : null;
  const own = Array.isArray(items) ? (items as readonly JsonValue[])[0] : input;
  return isJsonObject(own) ? textIn(own, 'token') : '';
}

const MADE_ROOM = /made room for (exec_\w+),/;
const FOR_NEWER = /(?:made room for|displaced it:|in the batch of) (exec_\w+)(?:,|$)/;

/** The cancels of executions for a newer one of their key; with `reason`, those that say it so. */
export function displacedIn(
  dump: Dump,
  reason = FOR_NEWER,
): readonly { readonly event: EventOf; readonly newest: string }[] {
  return dump.events.flatMap((event) => {
    const [, newest] = reason.exec(textIn(event.payload, 'reason')) ?? [];
    return newest === undefined ? [] : [{ event, newest }];
  });
}

/** An execution ends for another only if its key has as many newer ones as the limit. */
function checkDisplaced(dump: Dump, keyed: readonly Keyed[]): Violation[] {
  const byId = new Map(keyed.map((one) => [one.row.id, one]));
  const byKey = Map.groupBy(keyed, ({ key }) => key);
  return violations(
    'an execution ends only for newer ones of its key',
    displacedIn(dump, MADE_ROOM),
    ({ event, newest }) => {
      const about = { execution: event.execution_id, for: newest };
      const old = byId.get(event.execution_id);
      const young = byId.get(newest);
      if (old === undefined || young === undefined) return { about, saw: 'one has no key' };
      if (old.key !== young.key) return { about, saw: `keys ${old.key} and ${young.key}` };
      const newer = (byKey.get(old.key) ?? []).filter(
        (other) =>
          other !== old &&
          other.started.created_at >= old.started.created_at &&
          other.started.created_at <= young.started.created_at &&
          (other.ended?.created_at ?? Infinity) >= young.started.created_at,
      );
      if (newer.length >= young.limit && newer.includes(young)) return null;
      return { about, saw: `${newer.length} newer ones, and a limit of ${young.limit}` };
    },
  );
}
