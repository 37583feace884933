import type Database from 'better-sqlite3';

import type { Dump } from './dump.ts';

const TICKET = 'work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue';

const QUERIES = {
  executions: `id, tenant_id, workflow_id, parent_execution_id, status, last_sequence, completed_at
    from executions order by id`,
  events:
    'execution_id, sequence, kind, node_id, payload, actor_id, created_at, rowid as place from events order by execution_id, sequence',
  work_items:
    'work_item_id, execution_id, tenant_id, node_id, visit, idempotency_key, retry_policy, queue_name from work_items',
  work_queue: `${TICKET}, queue_name from work_queue`,
  work_leases: `${TICKET}, lease_fence, expires_at from work_leases`,
  retry_timers: `${TICKET} from retry_timers`,
  timers: 'execution_id, tenant_id, name, purpose from timers',
  runnable: 'execution_id from runnable',
  recorded_outputs:
    'execution_id, idempotency_key, work_item_id, event_sequence from recorded_outputs',
  dead_letters: 'execution_id, tenant_id, work_item_id from dead_letters',
  request_keys: 'tenant_id, key, execution_id from request_keys',
  tenants: 'id from tenants',
  tokens: 'token_id, tenant_id, name from tokens',
  definitions: 'tenant_id, workflow_id, version, revision from definitions',
  snapshots: 'execution_id from snapshots',
  execution_usage: 'execution_id, input_tokens, output_tokens, cost_usd from execution_usage',
  execution_labels: 'execution_id, tenant_id, name, value from execution_labels',
  retention_policies:
    'tenant_id, workflow_id, completed_days, failed_days, cancelled_days from retention_policies',
  sealed: 'max(covers_to) as covers_to from audit_windows',
  child_places: 'execution_id, parent_execution_id, state from child_places',
  flow_waits: 'execution_id from flow_waits',
  workflow_holds: 'execution_id from workflow_holds',
  retired_executions: 'execution_id from retired_executions',
  imported_executions: `execution_id, tenant_id, imported_by, imported_at, document_sha256,
    retirement_id from imported_executions order by rowid`,
  schedules: `tenant_id, name, revision, overlap_policy, next_fire_at, waiting_fire_at, starting_fire_at,
    started, skipped, missed, failed from schedules`,
  webhook_deliveries:
    'seq, webhook_id, tenant_id, execution_id, event_type, status from webhook_deliveries order by seq',
  audit_log: 'tenant_id, execution_id, event_type, actor_id, payload from audit_log order by rowid',
} as const;

type Row = Record<string, unknown>;
type Table = keyof typeof QUERIES;

const ALL = Object.keys(QUERIES) as Table[];
/** The checker reads these tables only in the last dump. */
const OF_THE_END: ReadonlySet<Table> = new Set([
  'request_keys',
  'tenants',
  'tokens',
  'definitions',
  'audit_log',
]);

/**
 * Reads all tables in one transaction, so that they show one moment. Unless `isLast` is set, it
 * leaves empty the tables that the checker reads only in the last dump.
 */
export function readSqliteDump(
  database: Database.Database,
  { isLast }: { readonly isLast: boolean } = { isLast: true },
): Omit<Dump, 'takenAt'> {
  const read = (table: Table): Row[] => {
    if (!isLast && OF_THE_END.has(table)) return [];
    const rows = prepared(database, `select ${QUERIES[table]}`).all();
    return rows.map(table === 'events' ? eventOf : decoded);
  };
  return database.transaction(() =>
    Object.fromEntries(ALL.map((table) => [table, read(table)])),
  )() as unknown as Omit<Dump, 'takenAt'>;
}

/** An event that has not changed since it was last read is the same object. */
function eventOf(row: Row): Row {
  const name = `${String(row['execution_id'])} ${String(row['sequence'])}`;
  const known = events.get(name);
  if (known !== undefined && COLUMNS.every((column) => known.raw[column] === row[column])) {
    return known.event;
  }
  if (events.size > EVENTS_KEPT_MAX) events.clear();
  const event = decoded({ ...row });
  events.set(name, { raw: row, event });
  return event;
}

const events = new Map<string, { readonly raw: Row; readonly event: Row }>();
const EVENTS_KEPT_MAX = 2_000;
const COLUMNS = ['kind', 'node_id', 'payload', 'actor_id', 'created_at'] as const;

function decoded(row: Row): Row {
  for (const column of JSON_COLUMNS) {
    if (typeof row[column] === 'string') row[column] = JSON.parse(row[column]);
  }
  return row;
}

const JSON_COLUMNS = ['payload', 'retry_policy'];

function prepared(database: Database.Database, sql: string): Database.Statement<[], Row> {
  const known = statements.get(database) ?? new Map<string, Database.Statement<[], Row>>();
  statements.set(database, known);
  const statement = known.get(sql) ?? database.prepare<[], Row>(sql);
  known.set(sql, statement);
  return statement;
}

const statements = new WeakMap<Database.Database, Map<string, Database.Statement<[], Row>>>();
