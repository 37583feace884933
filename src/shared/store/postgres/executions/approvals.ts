import { executionIdFromUuid, type DefinitionId } from '../../../domain/ids.ts';
import type {
  ApprovalRow,
  ApprovalStore,
  DecidedApprovalRow,
  ListApprovals,
  OpenApproval,
} from '../../readings/approvals.ts';
import { decodeApproval, decodeDecision } from '../../rows/approval-rows.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { decodeEvent, HELD_DUE_AT, toUuid, type EventRecord } from '../rows.ts';

/** Both lists join the events, so that a list has what was asked and said without a second read. */
export function createApprovalStore(readers: PostgresPool): ApprovalStore {
  return {
    async listOpen(params) {
      const rows = await readers.run<OpenRecord>(LIST_OPEN, valuesOf(params), params.tenantId);
      return rows.map(decodeOpen);
    },
    async listDecided(params) {
      const rows = await readers.run<DecidedRecord>(
        LIST_DECIDED,
        valuesOf(params),
        params.tenantId,
      );
      return rows.map(decodeDecided);
    },
    async findOldestOpen({ tenantId, executionIds }) {
      const values = [executionIds.map(toUuid), tenantId];
      const rows = await readers.run<OldestRecord>(FIND_OLDEST_OPEN, values, tenantId);
      return rows.map(decodeOldest);
    },
  };
}

function valuesOf({
  tenantId,
  workflowId,
  nodeId,
  cursor,
  limit,
}: ListApprovals): readonly unknown[] {
  const after = cursor && [cursor.at, toUuid(cursor.executionId), cursor.sequence];
  return [tenantId, workflowId, ...(after ?? [null, null, null]), limit, nodeId];
}

interface SharedRecord {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly definition_id: DefinitionId;
  readonly sequence: number;
  readonly node_id: string;
  readonly payload: string;
  readonly actor_id: string;
  readonly created_at: string;
}

interface OpenRecord extends SharedRecord {
  readonly due_at: string | null;
}

interface DecidedRecord extends SharedRecord {
  readonly decided_sequence: number;
  readonly decided_payload: string;
  readonly decided_actor: string;
  readonly decided_at: string;
}

interface OldestRecord {
  readonly execution_id: string;
  readonly node_id: string;
  readonly step: string | null;
  readonly requested_at: string;
}

function decodeOldest(row: OldestRecord): OpenApproval {
  return {
    executionId: executionIdFromUuid(row.execution_id),
    nodeId: row.node_id,
    step: row.step,
    requestedAt: row.requested_at,
  };
}

function decodeOpen(row: OpenRecord): ApprovalRow {
  return { ...sharedOf(row), dueAt: row.due_at };
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
    executionId: executionIdFromUuid(row.execution_id),
    workflowId: row.workflow_id,
    definitionId: row.definition_id,
    requested: decodeApproval(eventOf({ ...row, kind: 'ApprovalRequested' })),
  };
}

function eventOf({ sequence, kind, node_id, payload, actor_id, created_at }: EventRecord) {
  return decodeEvent({ sequence, kind, node_id, payload, actor_id, created_at });
}

const REQUESTED = `
      a.execution_id, e.workflow_id, e.definition_id, a.sequence, a.node_id, v.payload,
      v.actor_id, v.created_at`;

/* By parts with a limit, because a join would be by hash, and read both tables. */

function executionWhere(condition: string): string {
  return `cross join lateral (
      select x.workflow_id, x.definition_id
      from executions x
      where x.id = a.execution_id
        and ($2::text is null or x.workflow_id = $2)
        ${condition}
      limit 1
    ) e`;
}

function eventAt(sequence: string, name: string): string {
  return `cross join lateral (
      select x.payload, x.actor_id, x.created_at
      from events x
      where x.execution_id = a.execution_id
        and x.sequence = ${sequence}
      limit 1
    ) ${name}`;
}

/*
 * $1 tenant · $2 workflow · $3 to $5 cursor · $6 limit · $7 node. The timer of a wait is found by its name, which
 * the purpose, the node, the visit and the step make up.
 */
const LIST_OPEN: Statement = {
  name: 'list-open-approvals',
  writes: false,
  text: `
    select ${REQUESTED}, (
        select t.due_at
        from timers t
        where t.execution_id = a.execution_id
          and t.name = case
            when a.step is null
              then 'approval_timeout:' || a.node_id || '#' || a.visit
            else 'function_wait:' || a.node_id || '#' || a.visit || '/' || a.step
          end
          and t.due_at < ${HELD_DUE_AT}
      ) as due_at
    from approvals a
    ${executionWhere("and x.status in ('running', 'paused')")}
    ${eventAt('a.sequence', 'v')}
    where a.tenant_id = $1
      and a.decided_at is null
      and ($7::text is null or a.node_id = $7)
      and (
        $3::timestamptz is null
        or (a.requested_at, a.execution_id, a.sequence) > ($3, $4::uuid, $5::int4)
      )
    order by a.requested_at, a.execution_id, a.sequence
    limit $6`,
};

const LIST_DECIDED: Statement = {
  name: 'list-decided-approvals',
  writes: false,
  text: `
    select ${REQUESTED}, a.decided_sequence, d.payload as decided_payload,
      d.actor_id as decided_actor, a.decided_at
    from approvals a
    ${executionWhere('')}
    ${eventAt('a.sequence', 'v')}
    ${eventAt('a.decided_sequence', 'd')}
    where a.tenant_id = $1
      and a.decided_at is not null
      and ($7::text is null or a.node_id = $7)
      and (
        $3::timestamptz is null
        or (a.decided_at, a.execution_id, a.sequence) < ($3, $4::uuid, $5::int4)
      )
    order by a.decided_at desc, a.execution_id desc, a.sequence desc
    limit $6`,
};

/* $1 executions · $2 tenant. Their own rows only, by the primary key: the tenant may have many others. */
const FIND_OLDEST_OPEN: Statement = {
  name: 'find-oldest-open-approvals',
  writes: false,
  text: `
    select o.execution_id, o.node_id, o.step, o.requested_at
    from unnest($1::uuid[]) as of_list (id)
    cross join lateral (
      select a.execution_id, a.node_id, a.step, a.requested_at
      from approvals a
      where a.execution_id = of_list.id
        and a.tenant_id = $2
        and a.decided_at is null
      order by a.sequence
      limit 1
    ) o`,
};
