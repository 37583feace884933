import { type BatchRule, checkBatches } from './check-batches.ts';
import { displacedIn, tokenOf } from './check-concurrency.ts';
import { byExecution } from './check-histories.ts';
import { type Dump, type EventOf, type ExecutionOf } from '../dump.ts';
import type { History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** When the executions of a workflow begin. Times are in milliseconds. */
export interface StartRule {
  readonly afterMs?: number;
  readonly rate?: { readonly intervalMs: number; readonly burst: number };
  readonly debounce?: { readonly waitMs: number; readonly maxWaitMs: number };
  readonly batch?: BatchRule;
  /** The key of an execution, from the `token` in its input. */
  readonly keyOf: (token: string) => string;
}

type Rules = Readonly<Partial<Record<string, StartRule>>>;

/** An execution with such a rule, as its events tell. */
interface Ruled extends StartRule {
  readonly row: ExecutionOf;
  readonly id: string;
  readonly key: string;
  readonly story: readonly EventOf[];
  readonly started: EventOf;
  /** Its first step; undefined: it has not begun. */
  readonly begun: EventOf | undefined;
  /** A retry or a fork begins as soon as it may. */
  readonly continuesOther: boolean;
  readonly hasMissedDeadline: boolean;
}

const CONTINUING = ['retried_from', 'forked_from'];
const DISPLACED = /displaced it: (exec_\w+),/;

/** Executions begin at their time, at their rate, and once for several starts of a key. */
export function checkStarts(
  dump: Dump | undefined,
  history: History,
  rules: Rules = {},
): Violation[] {
  // A removal takes starts away that others were measured from.
  if (dump === undefined || (dump.retired_executions ?? []).length > 0) return [];
  const ruled = ruledIn(dump, rules);
  return [
    ...checkNothingRan(dump, ruled),
    ...checkBatches(ruled, { clockWasSetBack: history.clockWasSetBack === true }),
    ...(history.clockWasSetBack === true
      ? []
      : [...checkDelays(ruled), ...checkRates(ruled), ...checkWaits(ruled)]),
  ];
}

function ruledIn(dump: Dump, rules: Rules): readonly Ruled[] {
  const events = byExecution(dump);
  return dump.executions.flatMap((row) => {
    const rule = rules[row.workflow_id];
    const story = events.get(row.id) ?? [];
    const [started] = story;
    if (rule === undefined || started === undefined || row.parent_execution_id !== null) return [];
    const key = rule.keyOf(tokenOf(started));
    return [
      {
        ...rule,
        row,
        id: row.id,
        story,
        key: JSON.stringify([row.tenant_id, row.workflow_id, key]),
        started,
        begun: story.find(({ kind }) => kind === 'NodeScheduled'),
        continuesOther: CONTINUING.some((name) => started.payload[name] !== undefined),
        hasMissedDeadline: story.some(
          ({ payload }) => payload['error_class'] === 'start_deadline_exceeded',
        ),
      },
    ];
  });
}

/** The cancel of one that a newer start displaced says which one that was. */
function checkNothingRan(dump: Dump, ruled: readonly Ruled[]): Violation[] {
  const byId = new Map(ruled.map((one) => [one.row.id, one]));
  return [
    ...violations(
      'a displaced execution ran nothing, and a newer one of its key did it',
      displacedIn(dump, DISPLACED),
      ({ event, newest }) => {
        const [old, young] = [byId.get(event.execution_id), byId.get(newest)];
        const isRight =
          old?.begun === undefined &&
          old?.key === young?.key &&
          (old?.started.place ?? 0) <= (young?.started.place ?? 0);
        return isRight
          ? null
          : { about: { execution: event.execution_id }, saw: `displaced by ${newest}` };
      },
    ),
    ...violations('an execution that missed its start deadline ran nothing', ruled, (one) =>
      one.hasMissedDeadline && one.begun !== undefined
        ? { about: { execution: one.row.id }, saw: 'it has begun' }
        : null,
    ),
  ];
}

function checkDelays(ruled: readonly Ruled[]): Violation[] {
  return violations('an execution begins at its time at the earliest', ruled, (one) => {
    const { afterMs = 0, begun, started, continuesOther, row } = one;
    if (begun === undefined || continuesOther) return null;
    const waitedMs = begun.created_at - started.created_at;
    return waitedMs >= afterMs
      ? null
      : { about: { execution: row.id }, saw: `begun after ${waitedMs} ms of ${afterMs}` };
  });
}

/** An execution begins after its token came, so some begin close together; none begins before its token. */
function checkRates(ruled: readonly Ruled[]): Violation[] {
  const paced = Map.groupBy(
    ruled.filter(({ rate, continuesOther }) => rate !== undefined && !continuesOther),
    ({ key }) => key,
  );
  return violations('executions of a key begin at its rate at most', paced, ([key, of]) => {
    const { intervalMs, burst } = of[0]?.rate ?? { intervalMs: 0, burst: 0 };
    const since = Math.min(...of.map(({ started }) => started.created_at));
    const begun = of
      .flatMap((one) => one.begun?.created_at ?? [])
      .toSorted((one, other) => one - other);
    const early = begun.findIndex(
      (at, index) => at < since + Math.max(0, index + 1 - burst) * intervalMs - 1,
    );
    if (early < 0) return null;
    return { about: { key }, saw: `number ${early + 1} after ${(begun[early] ?? 0) - since} ms` };
  });
}

function checkWaits(ruled: readonly Ruled[]): Violation[] {
  const byKey = Map.groupBy(ruled, ({ key }) => key);
  return violations('a debounced execution begins when its wait is over', ruled, (one) => {
    const { debounce, begun, started, row } = one;
    if (debounce === undefined || begun === undefined || one.continuesOther) return null;
    const firstAt = Math.min(
      ...(byKey.get(one.key) ?? []).map((other) => other.started.created_at),
    );
    const dueAt = Math.min(started.created_at + debounce.waitMs, firstAt + debounce.maxWaitMs);
    return begun.created_at >= dueAt - 1
      ? null
      : { about: { execution: row.id }, saw: `begun ${dueAt - begun.created_at} ms before it` };
  });
}
