import type { DefinitionId, ExecutionId } from '../../../domain/ids.ts';
import type {
  ApprovalRow,
  ApprovalStore,
  DecidedApprovalRow,
  ListApprovals,
  OpenApproval,
} from '../../readings/approvals.ts';
import { decodeApproval, decodeDecision } from '../../rows/approval-rows.ts';
import type { Connection } from '../connection/connect.ts';
import { decodeEvent, HELD_DUE_AT, toIso, type EventRecord } from '../rows.ts';

/** Both lists join the events, so that a list has what was asked and said without a second read. */
export function createApprovalStore(connection: Connection): ApprovalStore {
  return {
    listOpen: (params) =>
      connection.read(() =>
        connection.all<OpenRecord>(LIST_OPEN, bindingsOf(params)).map(decodeOpen),
      ),
    listDecided: (params) =>
      connection.read(() =>
        connection.all<DecidedRecord>(LIST_DECIDED, bindingsOf(params)).map(decodeDecided),
      ),
    findOldestOpen: ({ tenantId, executionIds }) =>
      connection.read(() =>
        connection
          .all<OldestRecord>(FIND_OLDEST_OPEN, {
            ids: JSON.stringify(executionIds),
            tenant_id: tenantId,
          })
          .map(decodeOldest),
      ),
  };
}

function bindingsOf({ tenantId, workflowId, nodeId, cursor, limit }: ListApprovals) {
  return {
    tenant_id: tenantId,
    workflow_id: workflowId,
    node_id: nodeId,
    at: cursor === null ? null : Date.parse(cursor.at),
    after: cursor?.executionId ?? null,
    sequence: cursor?.sequence ?? null,
    limit,
  };
}

interface SharedRecord {
  readonly execution_id: ExecutionId;
  readonly workflow_id: string;
  readonly definition_id: DefinitionId;
  readonly sequence: number;
  readonly node_id: string;
  readonly payload: string;
  readonly actor_id: string;
  readonly created_at: number;
}

interface OpenRecord extends SharedRecord {
  readonly due_at: number | null;
}

interface DecidedRecord extends SharedRecord {
  readonly decided_sequence: number;
  readonly decided_payload: string;
  readonly decided_actor: string;
  readonly decided_at: number;
}

interface OldestRecord {
  readonly execution_id: ExecutionId;
  readonly node_id: string;
  readonly step: string | null;
  readonly requested_at: number;
}

function decodeOldest(row: OldestRecord): OpenApproval {
  return {
    executionId: row.execution_id,
    nodeId: row.node_id,
    step: row.step,
    requestedAt: toIso(row.requested_at),
  };
}

function decodeOpen(row: OpenRecord): ApprovalRow {
  return { ...sharedOf(row), dueAt: row.due_at === null ? null : toIso(row.due_at) };
}

function decodeDecided(row: DecidedRecord): DecidedApprovalRow {
  const received = eventOf({
    ...row,
    kind: 'ApprovalReceived',
    sequence: row.decided_sequence,
    payload: row.decided_payload,
    actor_id: row.decided_actor,
    created_at: row.decided_at,
  });
  return { ...sharedOf(row), received: decodeDecision(received) };
}

function sharedOf(row: SharedRecord) {
  return {
    executionId: row.execution_id,
    workflowId: row.workflow_id,
    definitionId: row.definition_id,
    requested: decodeApproval(eventOf({ ...row, kind: 'ApprovalRequested' })),
  };
}

function eventOf({ sequence, kind, node_id, payload, actor_id, created_at }: EventRecord) {
  return decodeEvent({ sequence, kind, node_id, payload, actor_id, created_at });
}

const REQUESTED = `
    a.execution_id, e.workflow_id, e.definition_id, a.sequence, a.node_id, v.payload, v.actor_id,
    v.created_at`;

const LIST_OPEN = `
  select ${REQUESTED}, (
      select t.due_at
      from timers t
      where t.execution_id = a.execution_id
        and t.name = case
          when a.step is null then 'approval_timeout:' || a.node_id || '#' || a.visit
          else 'function_wait:' || a.node_id || '#' || a.visit || '/' || a.step
        end
        and t.due_at < ${HELD_DUE_AT}
    ) as due_at
  from approvals a
  join executions e on e.id = a.execution_id
  join events v on v.execution_id = a.execution_id and v.sequence = a.sequence
  where a.tenant_id = :tenant_id
    and a.decided_at is null
    and e.status in ('running', 'paused')
    and (:workflow_id is null or e.workflow_id = :workflow_id)
    and (:node_id is null or a.node_id = :node_id)
    and (
      :at is null
      or (a.requested_at, a.execution_id, a.sequence) > (:at, :after, :sequence)
    )
  order by a.requested_at, a.execution_id, a.sequence
  limit :limit`;

const LIST_DECIDED = `
  select ${REQUESTED}, a.decided_sequence, d.payload as decided_payload,
    d.actor_id as decided_actor, a.decided_at
  from approvals a
  join executions e on e.id = a.execution_id
  join events v on v.execution_id = a.execution_id and v.sequence = a.sequence
  join events d on d.execution_id = a.execution_id and d.sequence = a.decided_sequence
  where a.tenant_id = :tenant_id
    and a.decided_at is not null
    and (:workflow_id is null or e.workflow_id = :workflow_id)
    and (:node_id is null or a.node_id = :node_id)
    and (
      :at is null
      or (a.decided_at, a.execution_id, a.sequence) < (:at, :after, :sequence)
    )
  order by a.decided_at desc, a.execution_id desc, a.sequence desc
  limit :limit`;

const FIND_OLDEST_OPEN = `
  select a.execution_id, a.node_id, a.step, a.requested_at
  from json_each(:ids) of_list
  cross join approvals a
  where a.execution_id = of_list.value
    and a.tenant_id = :tenant_id
    and a.sequence = (
      select o.sequence
      from approvals o
      where o.execution_id = of_list.value
        and o.decided_at is null
      order by o.sequence
      limit 1
    )`;
