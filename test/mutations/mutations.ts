import { ARCHIVE_MUTATIONS } from './archive-mutations.ts';
import { FAIR_MUTATIONS } from './fair-mutations.ts';
import { FORK_MUTATIONS } from './fork-mutations.ts';
import { FUNCTION_MUTATIONS } from './function-mutations.ts';
import { IMPORT_MUTATIONS } from './import-mutations.ts';
import { LIFE_MUTATIONS } from './life-mutations.ts';
import { RESULT_MUTATIONS } from './result-mutations.ts';
import { SIDE_MUTATIONS } from './side-mutations.ts';

/**
 * Bugs that somebody could make, each as a change of one place. `from` occurs exactly once in its
 * file. When you rewrite that code, write the change for the new code.
 */
export interface Mutation extends Change {
  readonly bug: string;
  /** Further changes, if one place is not enough. */
  readonly also?: readonly Change[];
}

export interface Change {
  /** From `src/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const SQLITE = 'shared/store/sqlite';

export const MUTATIONS: readonly Mutation[] = [
  {
    bug: 'a settle does not check the fence',
    file: `${SQLITE}/commit/judge.ts`,
    from: 'and lease_fence = ?',
    to: 'and lease_fence >= min(1, ?)',
  },
  {
    bug: 'the fence stays the same from claim to claim',
    file: `${SQLITE}/work/queue.ts`,
    from: '(last ?? readLastFence(connection)) + 1',
    to: 'last ?? Math.max(readLastFence(connection), 1)',
  },
  {
    bug: 'a commit does not check the sequence',
    file: `${SQLITE}/commit/judge.ts`,
    from: 'expectedSequence !== row.last_sequence',
    to: 'expectedSequence > row.last_sequence',
  },
  {
    bug: 'an event follows the end',
    file: `${SQLITE}/commit/judge.ts`,
    from: "if (isTerminal(row.status)) return refuse('ended');",
    to: "if (row.status === 'failed') return refuse('ended');",
  },
  {
    bug: 'a heartbeat does not save a lease from being reclaimed',
    file: `${SQLITE}/commit/judge.ts`,
    from: '(!settle.onlyIfExpired || lease.expires_at <= now)',
    to: '(!settle.onlyIfExpired || lease.expires_at > 0)',
  },
  {
    bug: 'a timer fires as often as somebody tries',
    file: `${SQLITE}/commit/judge.ts`,
    from: 'return due !== undefined;',
    to: 'return due !== null;',
  },
  {
    bug: 'a settled item keeps its lease',
    file: `${SQLITE}/commit/effects.ts`,
    from: 'if (workItemId === replaced) continue;',
    to: 'if (workItemId !== replaced) continue;',
  },
  {
    bug: 'an end leaves items that wait for their retry',
    file: `${SQLITE}/commit/effects.ts`,
    from: "    connection.run('delete from retry_timers where execution_id = :execution_id', all);\n",
    to: '',
  },
  {
    bug: 'an end leaves its timers',
    file: `${SQLITE}/commit/effects.ts`,
    from: "    connection.run('delete from timers where execution_id = :execution_id', {\n      execution_id: plan.executionId,\n    });\n",
    to: '',
  },
  {
    bug: 'a heartbeat renews under any fence',
    file: `${SQLITE}/work/leases.ts`,
    from: '         and lease_fence = :lease_fence\n',
    to: '',
  },
  {
    bug: 'a claim leaves the item on the queue',
    file: `${SQLITE}/work/leases.ts`,
    from: 'delete from work_queue where seq = ?',
    to: 'delete from work_queue where seq < ?',
  },
  {
    bug: 'queues of all tenants are one',
    file: 'shared/domain/work/queue-key.ts',
    from: "const key = `${tenantId ?? ''}/${queue}`;",
    to: "const key = tenantId === '' ? 'engine' : `/${queue}`;",
  },
  {
    bug: 'items of other tenants can be settled',
    file: `${SQLITE}/work/work.ts`,
    from: '     where work_item_id = :id and tenant_id = :tenant_id`,\n    { id, tenant_id: tenantId },',
    to: '     where work_item_id = :id`,\n    { id },',
  },
  {
    bug: 'executions of other tenants can be seen',
    file: `${SQLITE}/executions/executions.ts`,
    from: 'where id = :id and (:tenant_id is null or tenant_id = :tenant_id)',
    to: "where id = :id and (:tenant_id is null or tenant_id <> '')",
  },
  {
    bug: 'a limit of executions is one too many',
    file: `${SQLITE}/commit/judge.ts`,
    from: 'countLive(connection, tenantId, executionsMax) >= executionsMax',
    to: 'countLive(connection, tenantId, executionsMax + 1) > executionsMax',
  },
  {
    bug: 'a start is repeated under the same Idempotency-Key',
    file: `${SQLITE}/commit/judge.ts`,
    from: "if (existing !== null) return { holds: false, reason: 'duplicate_request', existing };",
    to: '',
  },
  {
    bug: 'timestamps follow a clock that is set back',
    file: `${SQLITE}/commit/write.ts`,
    from: 'Math.max(now, head.updatedAt, params.sealedUntil)',
    to: 'Math.max(now, params.sealedUntil)',
  },
  {
    bug: 'a snapshot is filed one event too early',
    file: `${SQLITE}/commit/write.ts`,
    from: 'sequence: lastSequence, body: plan.snapshot',
    to: 'sequence: lastSequence - 1, body: plan.snapshot',
  },
  {
    bug: 'a retry that is due stays a retry',
    file: `${SQLITE}/scheduling/timers.ts`,
    from: "connection.run('delete from retry_timers where work_item_id = :id', { id: row.work_item_id });",
    to: '',
  },
  {
    bug: 'the time comes from the process, not from the database',
    file: `${SQLITE}/connection/connect.ts`,
    from: 'now: clock,',
    to: 'now: Date.now,',
  },
  {
    bug: 'a settle is one commit, and its consequences are another',
    file: 'shared/engine/work/settle-work-item.ts',
    from: 'const verdict = await deps.committer.commit(commit);',
    to: `const verdict = await deps.committer.commit({
      ...commit, events: [], deadLetters: [], runnable: 'keep',
    });
    if (verdict.accepted) await deps.committer.commit({ ...commit, settles: [] });`,
  },
  {
    bug: 'a settle forgets to mark its execution',
    file: 'shared/engine/work/complete-work-item.ts',
    from: "setsLabels: labels }),\n      runnable: 'mark',",
    to: "setsLabels: labels }),\n      runnable: 'keep',",
  },
  {
    bug: 'a completion decides on a state that has moved since',
    file: 'shared/engine/work/settle-and-decide.ts',
    from: '    ...planned.commit,\n',
    to: '    ...planned.commit,\n    expectedSequence: null,\n',
  },
  {
    bug: 'a decision leaves out the nodes that nothing reaches any more',
    file: 'shared/engine/advance/plan-step.ts',
    from: 'const events = eventsOfDecision(stored, decision);',
    to: `const events = eventsOfDecision(stored, decision).filter(
    ({ kind }) => kind !== 'NodeSkipped',
  );`,
  },
  {
    bug: 'a decision records only the first of the nodes that led to a node',
    file: 'shared/engine/advance/plan-step.ts',
    from: 'const events = eventsOfDecision(stored, decision);',
    to: `const events = eventsOfDecision(stored, {
    ...decision,
    events: decision.events.map((event) =>
      event.kind === 'NodeScheduled'
        ? { ...event, payload: { ...event.payload, from: event.payload.from.slice(0, 1) } }
        : event,
    ),
  });`,
  },
  {
    bug: 'a completion accepts any idempotency key',
    file: 'shared/engine/work/complete-work-item.ts',
    from: '(isIdempotencyKey(key) && key === record.idempotencyKey)',
    to: 'isIdempotencyKey(key)',
  },
  {
    bug: 'an execution is made first, and its first work afterwards',
    file: 'shared/engine/executions/begin-execution.ts',
    from: 'plan: planned.commit,',
    to: "plan: { ...planned.commit, newItems: [], runnable: 'keep' as const },",
    also: [
      {
        file: 'shared/engine/executions/begin-execution.ts',
        from: '  if (verdict.accepted) return verdict;',
        to: `  if (verdict.accepted) {
    const { create, ...rest } = { ...planned.commit, events: [], startsTimers: [], status: null };
    await deps.committer.commit({ ...rest, create: null });
    return verdict;
  }`,
      },
    ],
  },
  {
    bug: 'a lapse does not count as an attempt',
    file: 'shared/engine/work/fail-attempt.ts',
    from: 'judgeRetry({ policy, attempt, errorClass, seed: idempotencyKey })',
    to: 'judgeRetry({ policy, attempt: -1, errorClass, seed: idempotencyKey })',
  },
  {
    bug: 'a lease is reclaimed although it was renewed',
    file: 'shared/engine/scheduling/reclaim-leases.ts',
    from: 'onlyIfExpired: true',
    to: 'onlyIfExpired: false',
  },
  {
    bug: 'an approval is decided twice',
    file: 'shared/engine/executions/decide-approval.ts',
    from: "visit.phase === 'approval' && visit.signal === null",
    to: "visit.phase === 'approval'",
  },
  {
    bug: 'an event that comes early is dropped',
    file: 'shared/engine/executions/deliver-external-event.ts',
    from: "          runnable: 'mark',\n        },\n        answer: { executionId, accepted: true },",
    to: "          runnable: 'mark',\n          ...(!awaited && { events: [] }),\n        },\n        answer: { executionId, accepted: true },",
  },
  {
    bug: 'a cancel revokes nothing',
    file: 'shared/engine/executions/cancel-execution.ts',
    from: 'revokesAll: true',
    to: 'revokesAll: false',
  },
  {
    bug: 'a cancel is decided on a state that has changed',
    file: 'shared/engine/executions/cancel-execution.ts',
    from: 'expectedSequence: row.lastSequence,\n    events: events.map((event) => newEvent(event, actorId)),\n    status',
    to: 'expectedSequence: null,\n    events: events.map((event) => newEvent(event, actorId)),\n    status',
  },
  {
    bug: 'a mark is cleared although something has happened',
    file: 'shared/engine/advance/execution-runner.ts',
    from: '      expectedSequence: held.state.sequence,\n      status: status === held.rowStatus ? null : status,',
    to: '      expectedSequence: null,\n      status: status === held.rowStatus ? null : status,',
  },
  {
    bug: 'a runner takes a refused commit for an accepted one',
    file: 'shared/engine/advance/execution-runner.ts',
    from: 'this.#refuse(held, { reason, isOrphanForGood, mail });',
    to: 'held.state = step.decision.next;',
  },
  {
    bug: 'callers of one batch get the verdict of its first',
    file: 'shared/engine/commit/committer.ts',
    from: 'const verdict = verdicts[index];',
    to: 'const verdict = verdicts[index * 0];',
  },
  {
    bug: 'a lease from this process is valid for every fence and tenant',
    file: 'shared/engine/work/worker-leases.ts',
    from: 'item?.lease.leaseFence === leaseFence && item.record.tenantId === tenantId',
    to: 'item !== undefined && leaseFence > 0 && tenantId.length > 0',
  },
  {
    bug: 'a failed attempt is tried again without end',
    file: 'shared/domain/work/retry.ts',
    from: 'if (attempt + 1 >= policy.maxAttempts) return { retryable: false };',
    to: 'if (attempt + 1 >= policy.maxAttempts * 100) return { retryable: false };',
  },
  {
    bug: 'a commit takes the next free sequence, without the expected one',
    file: `${SQLITE}/commit/judge.ts`,
    from: 'expectedSequence !== row.last_sequence',
    to: 'row.last_sequence < 0',
    also: [
      {
        file: `${SQLITE}/commit/write.ts`,
        from: 'const { plan, head, now, drawFence } = params;\n  // The',
        to: `const { plan, now, drawFence } = params;
  const highest = connection.get<{ readonly n: number | null }>(
    'select max(sequence) as n from events where execution_id = ?', [plan.executionId]);
  const head = { ...params.head, lastSequence: highest?.n ?? 0 };
  // The`,
      },
    ],
  },
  {
    bug: 'executions are counted before the commit of a start',
    file: 'shared/engine/executions/begin-execution.ts',
    from: 'limits: limitsOf(params),',
    to: 'limits: null,',
    also: [
      {
        file: 'shared/engine/executions/begin-execution.ts',
        from: 'return commitOffering(deps, {',
        to: `const rows = await deps.store.executions.list({
    tenantId: params.tenantId, status: null, workflowId: null, createdAfter: null,
    createdBefore: null, cursor: null, limit: 100, offset: 0,
  });
  const live = rows.filter(({ status }) => status === 'running' || status === 'paused').length;
  const crowded = limitRefusal('executions_limited', tenant);
  if (live >= (tenant.limits.max_concurrent_executions ?? 100) && crowded !== null) throw crowded;
  return commitOffering(deps, {`,
      },
    ],
  },
  ...SIDE_MUTATIONS,
  ...LIFE_MUTATIONS,
  ...FUNCTION_MUTATIONS,
  ...FORK_MUTATIONS,
  ...IMPORT_MUTATIONS,
  ...ARCHIVE_MUTATIONS,
  ...FAIR_MUTATIONS,
  ...RESULT_MUTATIONS,
];
