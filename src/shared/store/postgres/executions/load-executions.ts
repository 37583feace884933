import { type ExecutionId, executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import type { LoadedExecution } from '../../executions.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { EVERY_TENANT } from '../connection/session.ts';
import {
  decodeEvent,
  decodeExecution,
  EXECUTION_COLUMNS,
  boundsOf,
  toUuid,
  type EventRecord,
  type ExecutionRecord,
} from '../rows.ts';
import {
  joinStandingPause,
  STANDING_PAUSE_COLUMNS,
  standingPauseOf,
  type StandingPauseColumns,
} from './standing-pause.ts';

/*
 * One statement is one snapshot, so row, snapshot and tail of an execution fit together. Its first
 * row carries the execution and its snapshot, the others an event each: the body is sent once.
 */
const LOAD: Statement = {
  name: 'load-execution',
  writes: false,
  text: `
    with execution as materialized (
      select ${EXECUTION_COLUMNS}, s.sequence as snapshot_sequence, s.body,
        ${STANDING_PAUSE_COLUMNS}
      from executions e
      left join snapshots s on s.execution_id = e.id
      ${joinStandingPause('e')}
      where e.id = $1
        and ($2::text is null or e.tenant_id = $2)
    )
    select ${EXECUTION_COLUMNS}, e.snapshot_sequence, e.body, e.paused_by, e.pause_reason,
      e.paused_at, 0 as sequence, null::text as kind, null::text as node_id, null::json as payload, null::text as actor_id,
      null::timestamptz as event_created_at
    from execution e
    union all
    select null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
      null, null, null, null, v.sequence, v.kind, v.node_id, v.payload, v.actor_id, v.created_at
    from events v
    where v.execution_id = $1
      and v.sequence > (select coalesce(x.snapshot_sequence, 0) from execution x)
    order by sequence`,
};

/**
 * Reads only the row of executions with a snapshot: their tails begin at different places. The
 * least and the greatest id select the partitions of events; an array does not.
 */
const LOAD_MANY: Statement = {
  name: 'load-executions',
  writes: false,
  text: `
    with execution as materialized (
      select ${EXECUTION_COLUMNS},
        (select s.sequence from snapshots s where s.execution_id = e.id) as snapshot_sequence,
        ${STANDING_PAUSE_COLUMNS}
      from executions e
      ${joinStandingPause('e')}
      where e.id = any($1)
    )
    select ${EXECUTION_COLUMNS}, e.snapshot_sequence, null::text as body, e.paused_by,
      e.pause_reason, e.paused_at, 0 as sequence, null::text as kind, null::text as node_id, null::json as payload, null::text as actor_id,
      null::timestamptz as event_created_at
    from execution e
    union all
    select v.execution_id, null, null, null, null, null, null, null, null, null, null, null, null,
      null, null, null, null, null, null, v.sequence, v.kind, v.node_id, v.payload, v.actor_id, v.created_at
    from events v
    where v.execution_id = any(array(
        select x.id from execution x where x.snapshot_sequence is null
      ))
      and v.execution_id >= $2
      and v.execution_id <= $3
    order by sequence`,
};

type LoadRecord = ExecutionRecord & {
  readonly snapshot_sequence: number | null;
  readonly body: string | null;
} & StandingPauseColumns &
  EventRecord & { readonly event_created_at: string };

export async function loadExecution(
  pool: PostgresPool,
  id: ExecutionId,
  tenantId: TenantId | null,
): Promise<LoadedExecution | null> {
  const [head, ...tail] = await pool.run<LoadRecord>(
    LOAD,
    [toUuid(id), tenantId],
    tenantId ?? EVERY_TENANT,
  );
  return head === undefined ? null : decodeLoaded(head, tail);
}

/** One for each id, in their order; of any tenant. */
export async function loadExecutions(
  pool: PostgresPool,
  ids: readonly ExecutionId[],
): Promise<readonly (LoadedExecution | null)[]> {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return [await loadExecution(pool, only, null)];
  const uuids = ids.map(toUuid);
  const { least, greatest } = boundsOf(uuids);
  const rows = await pool.run<LoadRecord>(LOAD_MANY, [uuids, least, greatest]);
  const byId = Map.groupBy(rows, (row) => executionIdFromUuid(row.id));
  return Promise.all(
    ids.map(async (id) => {
      const [head, ...tail] = byId.get(id) ?? [];
      if (head === undefined) return null;
      return head.snapshot_sequence === null
        ? decodeLoaded(head, tail)
        : loadExecution(pool, id, null);
    }),
  );
}

function decodeLoaded(head: LoadRecord, tail: readonly LoadRecord[]): LoadedExecution {
  const { snapshot_sequence: sequence, body } = head;
  return {
    row: decodeExecution(head),
    snapshot: sequence === null || body === null ? null : { sequence, body },
    events: tail.map((row) => decodeEvent({ ...row, created_at: row.event_created_at })),
    workflowPause: standingPauseOf(head),
  };
}
