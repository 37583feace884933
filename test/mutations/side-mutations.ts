import type { Mutation } from './mutations.ts';

const SQLITE = 'shared/store/sqlite';

/** Bugs outside the worker protocol. */
export const SIDE_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'a result without a fence completes its node',
    file: 'shared/engine/work/complete-work-item.ts',
    from: "deps.report.count('unrecorded_keys', 1);\n  if (params.leaseFence === null) {",
    to: "deps.report.count('unrecorded_keys', 1);\n  if (params.leaseFence === null && idempotencyKey === null) {",
    also: [
      {
        file: 'shared/engine/work/complete-work-item.ts',
        from: 'settles: [{ workItemId, leaseFence: params.leaseFence, onlyIfExpired: false }],',
        to: 'settles: [{ workItemId, leaseFence: params.leaseFence ?? found.lease.leaseFence, onlyIfExpired: false }],',
      },
    ],
  },
  {
    bug: 'a settle without a fence leaves the lease',
    file: `${SQLITE}/work/work.ts`,
    from: '    `delete from work_leases\n     where work_item_id = :id and tenant_id = :tenant_id\n     returning ${TICKET_COLUMNS}, worker_id`,',
    to: '    `select ${TICKET_COLUMNS}, worker_id from work_leases\n     where work_item_id = :id and tenant_id = :tenant_id`,',
  },
  {
    bug: 'an item with a recorded result is handed out again',
    file: 'shared/engine/work/hand-out-items.ts',
    from: 'if (item.hasRecordedOutput) {',
    to: 'if (item.hasRecordedOutput && item.leaseFence < 0) {',
  },
  {
    bug: 'the audit entry of a requeue comes after its commit',
    file: `${SQLITE}/work/dead-letters.ts`,
    from: "  if (row === undefined) return 'missing';\n",
    to: `  if (row === undefined) return 'missing';
  const entry = {
    tenantId,
    executionId: row.execution_id as ExecutionId,
    eventType: 'work_item_requeued',
    actorId: params.actorId,
    payload: { work_item_id: id, node_id: row.node_id },
  };
  if (params.expectedSequence < 0) appendAudit(connection, entry);
  if (params.expectedSequence < 0) return 'requeued';
`,
    also: [
      {
        file: `${SQLITE}/work/dead-letters.ts`,
        from: "  appendAudit(connection, {\n    tenantId,\n    executionId: row.execution_id as ExecutionId,\n    eventType: 'work_item_requeued',\n    actorId: params.actorId,\n    payload: { work_item_id: id, node_id: row.node_id },\n  });\n",
        to: '',
      },
      {
        file: 'shared/engine/work/requeue-work-item.ts',
        from: "      case 'requeued':\n",
        to: "      case 'requeued':\n        await deps.store.work.requeue({ workItemId, tenantId, expectedSequence: -1, actorId });\n",
      },
    ],
  },
  {
    bug: 'a change of a tenant has no audit entry',
    file: `${SQLITE}/tenants/tenants.ts`,
    from: "if (row === undefined) return null;\n  appendAudit(connection, {\n    tenantId,\n    executionId: null,\n    eventType: 'tenant_updated',",
    to: "if (row === undefined) return null;\n  if (changes.limits !== null) appendAudit(connection, {\n    tenantId,\n    executionId: null,\n    eventType: 'tenant_updated',",
  },
  {
    bug: 'work of suspended tenants is handed out',
    file: `${SQLITE}/work/select-next.ts`,
    from: '    and ${TENANT_IS_ACTIVE}\n  order by priority, seq',
    to: '  order by priority, seq',
  },
  {
    bug: 'an event gets a time in a sealed window',
    file: `${SQLITE}/commit/write.ts`,
    from: 'Math.max(now, head.updatedAt, params.sealedUntil)',
    to: 'Math.max(now, head.updatedAt)',
  },
  {
    bug: 'a fire that is taken up again starts another execution',
    file: 'shared/domain/schedules/plan-turn.ts',
    from: 'executionId: fireExecutionId({ scheduleId, fireAt })',
    to: 'executionId: fireExecutionId({ scheduleId: again ? `${scheduleId} again` : scheduleId, fireAt })',
  },
  {
    bug: 'a fire is decided again in a later turn',
    file: `${SQLITE}/schedules/turns.ts`,
    from: 'where schedule_id = :schedule_id and turn = :turn`',
    to: 'where schedule_id = :schedule_id and turn >= :turn * 0`',
  },
  {
    bug: 'a fire starts beside the one before it',
    file: 'shared/domain/schedules/plan-turn.ts',
    from: "(overlapPolicy === 'skip' || overlapPolicy === 'queue')",
    to: "overlapPolicy === 'queue'",
  },
  {
    bug: 'a message overtakes those before it',
    file: `${SQLITE}/webhooks/deliveries.ts`,
    from: 'and p.seq < d.seq',
    to: 'and p.seq < 0',
  },
  {
    bug: 'a message that was refused counts as delivered',
    file: 'shared/engine/webhooks/deliver-webhooks.ts',
    from: 'lastStatus >= 200 && lastStatus < 300',
    to: 'lastStatus >= 200 && lastStatus < 600',
  },
  {
    bug: 'a message whose answer never came is not sent again',
    file: 'shared/engine/webhooks/deliver-webhooks.ts',
    from: '  const delayMs = DELAYS_MS[attempt - 1];\n',
    to: "  const delayMs = 'error' in result ? undefined : DELAYS_MS[attempt - 1];\n",
  },
  {
    bug: 'webhooks do not report cancelled executions',
    file: 'shared/store/rows/webhook-messages.ts',
    from: 'if (status === null) return [];',
    to: "if (status === null || status === 'cancelled') return [];",
  },
  {
    bug: 'the next run begins with the first input',
    file: 'shared/domain/execution/carry/carry.ts',
    from: 'state: state.data,',
    to: 'state: state.input,',
  },
];
