import Database from 'better-sqlite3';

import type { Templates } from './templates.ts';

/**
 * Copies of the templates' rows, all of one tenant, evenly over 90 days: the newest is the youngest by
 * a day. Nearly all have ended well. They have no events; lists read none.
 */
export function fillSqliteExecutions(path: string, executions: number, templates: Templates): void {
  const database = new Database(path);
  try {
    database.pragma('synchronous = off');
    const stepMs = (89 * DAY_MS) / executions;
    const oldest = Date.now() - 90 * DAY_MS;
    database.prepare(INSERT).run({ executions, oldest, stepMs, ...templates });
    database.exec('analyze');
    database.pragma('wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}

const DAY_MS = 86_400_000;

const INSERT = `
  insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
    status, last_sequence, error, error_class, error_node_id, cause_key, created_at, updated_at, completed_at)
  with recursive numbers (n, at) as (
    values (1, cast(:oldest as integer))
    union all
    select n + 1, cast(:oldest + (n + 1) * :stepMs as integer)
    from numbers
    where n < :executions
  )
  select printf('exec_%012x70008000%012x', at, n), 'default', t.definition_id,
    'workflow-' || n * 31 % 40, '1', n % 64, 5, t.status, t.last_sequence, t.error, t.error_class,
    t.error_node_id, t.cause_key, at, at,
    case when t.completed_at is not null then at + 1000 end
  from numbers
  join executions t on t.id = case
    when n % 100 < 94 then :completed
    when n % 100 < 97 then :failed
    when n % 100 < 98 then :cancelled
    when n % 100 < 99 then :running
    else :paused
  end`;
