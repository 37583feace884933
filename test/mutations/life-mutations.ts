import type { Mutation } from './mutations.ts';

const SQLITE = 'shared/store/sqlite';

/** Bugs of pauses, of retries of executions, and of retention. */
export const LIFE_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'a pause leaves waiting items on their queue',
    file: 'shared/engine/executions/pause-execution.ts',
    from: "return { answer, commit: { ...commit, waitingItems: 'hold' } };",
    to: 'return { answer, commit };',
  },
  {
    bug: 'a resumption does not release held items',
    file: `${SQLITE}/commit/effects.ts`,
    from: 'set due_at = held_due_at,\n           held_due_at = null',
    to: 'set due_at = due_at,\n           held_due_at = null',
  },
  {
    bug: 'consequences are decided while an execution is paused',
    file: 'shared/domain/execution/decide.ts',
    from: '|| isPausedByOperator(state) || isDelayed(state);',
    to: '|| (isPausedByOperator(state) && state.live.size > 1) || isDelayed(state);',
  },
  {
    bug: 'an execution begins before the time of its start',
    file: 'shared/domain/execution/decide.ts',
    from: 'isPausedByOperator(state) || isDelayed(state);',
    to: 'isPausedByOperator(state);',
  },
  {
    bug: 'an execution whose start deadline has passed begins',
    file: 'shared/domain/execution/decisions/start-deadline.ts',
    from: 'if (turn.draft.startWait?.isOverdue !== true) return false;',
    to: 'if (turn.draft.startWait?.isOverdue !== null) return false;',
  },
  {
    bug: 'undos begin while children of their execution undo their own steps',
    file: 'shared/domain/execution/decide.ts',
    from: 'return undosAwaitChildren(plan, draft);',
    to: 'return undosAwaitChildren(plan, draft) && draft.sequence === 0;',
  },
  {
    bug: 'a run that continues another does not wait for the children of that one',
    file: 'shared/domain/execution/decisions/continue-as-new.ts',
    from: '...(ending.length > 0 && {',
    to: '...(ending.length > 1_000 && {',
  },
  {
    bug: 'the end of a child does not reach the run that continues its parent',
    file: 'shared/engine/advance/tell-family.ts',
    from: '    await recordUntoldEnds(deps, parent.executionId, ends);\n',
    to: '',
  },
  {
    bug: 'a bucket of a rate has one token too many',
    file: `${SQLITE}/scheduling/buckets.ts`,
    from: 'tokens: Math.floor((nowUs',
    to: 'tokens: 1 + Math.floor((nowUs',
  },
  {
    bug: 'a refused change is answered as an accepted one',
    file: 'shared/engine/commit/change-execution.ts',
    from: 'if (verdict.accepted) {',
    to: "if (!verdict.accepted && verdict.reason === 'moved') return proposed.answer;\n    if (verdict.accepted) {",
  },
  {
    bug: 'each request makes a retry of its own',
    file: 'shared/engine/executions/retry-execution.ts',
    from: 'const executionId = retryIdOf(retriedFrom);\n',
    to: 'const executionId = executionIdFromUuid(deps.ids.uuid());\n',
  },
  {
    bug: 'a retry begins with the first input',
    file: 'shared/domain/execution/retry-point.ts',
    from: '...carry(draft, {',
    to: '...carry({ ...draft, data: draft.input }, {',
  },
  {
    bug: 'a retry begins at the first node',
    file: 'shared/domain/execution/retry-point.ts',
    from: 'draft.arrivals = [...again, ...draft.arrivals];',
    to: `draft.arrivals = events.flatMap((event) =>
    event.kind === 'NodeScheduled' && event.payload.from.length === 0
      ? [{ from: null, to: event.nodeId, output: null }]
      : [],
  );`,
  },
  {
    bug: 'a retry is removed before its original',
    file: `${SQLITE}/retention/conditions.ts`,
    from: "coalesce(\n    v.payload ->> 'continued_from',\n    v.payload ->> '$.retried_from.execution_id'\n  )",
    to: "v.payload ->> 'continued_from'",
  },
  {
    bug: 'an execution with unsealed events is removed',
    file: `${SQLITE}/retention/conditions.ts`,
    from: 'and v.created_at >= :sealed_until\n',
    to: 'and v.created_at < :sealed_until * 0\n',
  },
  {
    bug: 'a removal leaves the recorded results',
    file: `${SQLITE}/retention/retire.ts`,
    from: '  `delete from recorded_outputs where execution_id in ${THESE}`,\n',
    to: '',
  },
  {
    bug: 'an execution is removed a day early',
    file: `${SQLITE}/retention/retention.ts`,
    from: 'and e.completed_at <= :now - r.kept_ms\n',
    to: 'and e.completed_at <= :now - r.kept_ms + 86400000\n',
  },
  {
    bug: 'a child is removed before its parent',
    file: `${SQLITE}/retention/retire.ts`,
    from: 'where p.id = e.parent_execution_id\n',
    to: 'where p.id = e.parent_execution_id\n               and p.status = 0\n',
    also: [
      {
        file: 'shared/engine/retention/scan-due.ts',
        from: 'if (!execution.behind.every((id) => leading.has(id))) return false;',
        to: 'if (execution.behind.length > 1) return false;',
      },
    ],
  },
  {
    bug: 'the audit entry of a removal counts one execution too few',
    file: 'shared/engine/retention/run-retention.ts',
    from: '      executions: batch.length,\n      events: countEvents(batch),',
    to: '      executions: batch.length - 1,\n      events: countEvents(batch),',
  },
  {
    bug: 'a descendant begins although its ancestor has ended',
    file: `${SQLITE}/commit/judge-tree.ts`,
    from: "if (isOrphaned(connection, plan)) return 'orphaned';",
    to: '',
  },
  {
    bug: 'children find one place too many',
    file: `${SQLITE}/scheduling/places.ts`,
    from: 'tenant.places_max - countTaken(',
    to: 'tenant.places_max + 1 - countTaken(',
  },
  {
    bug: 'a start is refused one place too late',
    file: `${SQLITE}/commit/places.ts`,
    from: '(row?.occupied ?? 0) >= placesMax',
    to: '(row?.occupied ?? 0) > placesMax',
  },
  {
    bug: 'a start that waits for its time or its key takes its place in the line of its tenant at once',
    file: 'shared/engine/executions/begin-execution.ts',
    from: "waitsFirst && queuesStarts(tenant) ? 'later' : null",
    to: "waitsFirst && queuesStarts(tenant) ? 'waiting' : null",
  },
  {
    bug: 'a start passes those that wait for a place of its tenant',
    file: `${SQLITE}/commit/judge.ts`,
    from: 'if (waiting !== undefined) return limit;',
    to: 'if (waiting === null) return limit;',
  },
  {
    bug: 'one whose time has come begins without a place of its tenant',
    file: 'shared/engine/flow/after-delay.ts',
    from: "needed === null ? 'waiting' : 'later'",
    to: "'later'",
  },
  {
    bug: 'those that wait shortest get the places of a key',
    file: `${SQLITE}/scheduling/flow.ts`,
    from: '     order by w.seq\n     limit ?',
    to: '     order by w.seq desc\n     limit ?',
  },
  {
    bug: 'a start that cancels the oldest cancels one more',
    file: `${SQLITE}/scheduling/flow-surplus.ts`,
    from: 'r.wanting - :places_max)',
    to: 'r.wanting - :places_max + 1)',
  },
  {
    bug: 'an execution with a place is never cancelled for a newer one',
    file: `${SQLITE}/scheduling/flow-surplus.ts`,
    from: 'p.is_leaving = 0\n         and e.status',
    to: 'p.is_leaving = 9\n         and e.status',
  },
  {
    bug: 'a batch is closed although one of it has moved',
    file: `${SQLITE}/commit/commit.ts`,
    from: 'areTogether(plans) && plans.some(',
    to: 'areTogether([]) && plans.some(',
  },
  {
    bug: 'the execution of a batch has the input of the others alone',
    file: 'shared/engine/flow/close-batch.ts',
    from: 'items: members.map(({ state }) => state.input)',
    to: 'items: members.slice(1).map(({ state }) => state.input)',
  },
  {
    bug: 'a call below a rate gives its token back',
    file: `${SQLITE}/scheduling/quotas.ts`,
    from: '...bucket.take(admitted.length)',
    to: '...bucket.take(0)',
  },
  {
    bug: 'a quota has one place too many',
    file: `${SQLITE}/scheduling/quotas.ts`,
    from: 'limit - countTaken(connection, quota)',
    to: 'limit + 1 - countTaken(connection, quota)',
  },
  {
    bug: 'a parent lends its place to all its children',
    file: `${SQLITE}/scheduling/places.ts`,
    from: "where l.parent_execution_id = parents.id and l.state = 'lent'",
    to: "where l.parent_execution_id = c.execution_id and l.state = 'lent'",
  },
  {
    bug: 'an event starts a child that waits for its place',
    file: `${SQLITE}/scheduling/runnable.ts`,
    from: "where c.execution_id = runnable.execution_id and c.state = 'waiting'",
    to: "where c.execution_id = runnable.execution_id and c.state = 'gone'",
  },
  {
    bug: 'a run that continues forgets that it uses the place of its parent',
    file: 'shared/engine/advance/family.ts',
    from: 'takesPlaceOf: parent === null ? null : state.executionId,',
    to: 'takesPlaceOf: null,',
  },
  {
    bug: 'a waiting child is cancelled and keeps waiting',
    file: 'shared/engine/executions/cancel-execution.ts',
    from: 'leavesQueue: waits,',
    to: 'leavesQueue: false,',
  },
];
