import { TABLES } from './as-last-seen.ts';
import type { Dump } from './dump.ts';

const idOf = (column: string): string => `'exec_' || replace(${column}::text, '-', '')`;
const msOf = (column: string): string => `round(extract(epoch from ${column}) * 1000)::bigint`;
const EXECUTION = `${idOf('execution_id')} as execution_id`;
const TICKET = `work_item_id, ${EXECUTION}, tenant_id, node_id, visit, attempt, queue`;

const QUERIES = {
  executions: `
    ${idOf('id')} as id, tenant_id, workflow_id, ${idOf('parent_execution_id')} as parent_execution_id,
    status, last_sequence, ${msOf('completed_at')} as completed_at
    from executions order by id`,
  events: `
    ${EXECUTION}, sequence, kind, node_id, payload, actor_id, ${msOf('created_at')} as created_at,
    xmin::text as written_in
    from events order by execution_id, sequence`,
  work_items: `
    work_item_id, ${EXECUTION}, tenant_id, node_id, visit, idempotency_key, retry_policy, queue_name
    from work_items`,
  work_queue: `${TICKET} from work_queue`,
  work_leases: `${TICKET}, lease_fence, ${msOf('expires_at')} as expires_at from work_leases`,
  retry_timers: `${TICKET} from retry_timers`,
  timers: `${EXECUTION}, tenant_id, name, purpose from timers`,
  runnable: `${EXECUTION} from runnable`,
  recorded_outputs: `
    ${EXECUTION}, idempotency_key, work_item_id, event_sequence, xmin::text as written_in
    from recorded_outputs`,
  dead_letters: `${EXECUTION}, tenant_id, work_item_id from dead_letters`,
  request_keys: `tenant_id, key, ${EXECUTION}, xmin::text as written_in from request_keys`,
  snapshots: `${EXECUTION} from snapshots`,
  execution_usage: `${EXECUTION}, input_tokens, output_tokens, cost_usd from execution_usage`,
  execution_labels: `${EXECUTION}, tenant_id, name, value from execution_labels`,
  retention_policies:
    'tenant_id, workflow_id, completed_days, failed_days, cancelled_days from retention_policies',
  sealed: `${msOf('max(covers_to)')} as covers_to from audit_windows`,
  child_places: `
    ${EXECUTION}, ${idOf('parent_execution_id')} as parent_execution_id, state from child_places`,
  flow_waits: `${EXECUTION} from flow_waits`,
  workflow_holds: `${EXECUTION} from workflow_holds`,
  retired_executions: `${EXECUTION} from retired_executions`,
  imported_executions: `
    ${EXECUTION}, tenant_id, imported_by, ${msOf('imported_at')} as imported_at, document_sha256,
    retirement_id::text as retirement_id from imported_executions order by imported_at`,
  webhook_deliveries: `
    seq, delivery_id::text as delivery_id, webhook_id::text as webhook_id, tenant_id, ${EXECUTION},
    event_type, status from webhook_deliveries order by seq`,
  tenants: 'id from tenants',
  tokens: 'token_id, tenant_id, name from tokens',
  definitions: 'tenant_id, workflow_id, version, revision from definitions',
  audit_log: `
    tenant_id, ${idOf('execution_id')} as execution_id, event_type, actor_id, payload
    from audit_log`,
} as const satisfies Record<Exclude<keyof Dump, 'takenAt' | 'removal' | 'schedules'>, string>;

/** One statement, so that all tables show one moment. It returns one row with a `dump`. */
export const POSTGRES_DUMP = `
  select json_build_object(
    'takenAt', ${msOf('now()')},
    ${Object.entries(QUERIES)
      .map(
        ([table, query]) =>
          `'${table}', (select coalesce(json_agg(r), '[]') from (select ${query}) as r)`,
      )
      .join(',\n    ')}
  ) as dump`;

/** Such a statement for some executions, by their UUIDs, and only for the tables of `TABLES`. */
export function postgresDumpOf(ids: readonly string[]): string {
  const these = ids.map((id) => `'${id}'`).join();
  const selects = TABLES.map((table) => {
    const column = table === 'executions' ? 'id' : 'execution_id';
    const query = QUERIES[table].replace(
      /from (\w+)( order by [\w, ]+)?$/,
      `from $1 where ${column} in (${these})$2`,
    );
    return `'${table}', (select coalesce(json_agg(r), '[]') from (select ${query}) as r)`;
  });
  return `select json_build_object(${selects.join(', ')}) as dump`;
}
