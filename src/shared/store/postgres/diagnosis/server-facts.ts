import { HOT_TABLES } from '../../readings/diagnosis.ts';
import type {
  DatabaseOverview,
  DeadTuples,
  LockHolder,
  LockWait,
  PostgresFacts,
  SnapshotHolder,
} from '../../installation.ts';
import { advisoryKey } from '../connection/advisory-key.ts';
import type { LentSettings, PostgresPool, Statement } from '../connection/connect.ts';
import { readReplicaFacts, type Replica } from './replica-facts.ts';
import { sharesServerProcesses } from '../connection/shares-server-processes.ts';

/** The server's facts about itself; they need none of our tables. */
export async function readServerFacts(
  pool: PostgresPool,
  { settings, replica }: { readonly settings: LentSettings; readonly replica: Replica | null },
): Promise<PostgresFacts> {
  const [head] = await pool.run<ServerRecord>(SERVER, [SETTINGS]);
  if (head === undefined) throw new Error('the server told nothing of itself');
  const [tables, holders, locks, waits, began] = await Promise.all([
    pool.run<TableRecord>(TABLES, [HOT_TABLES]),
    pool.run<HolderRecord>(HOLDERS, [HOLDERS_MAX]),
    pool.run<LockRecord>(LOCKS, [lockPrefix()]),
    pool.run<WaitRecord>(WAITS, [HOLDERS_MAX]),
    head.lists_wal ? pool.run<{ readonly age_ms: number }>(TIMELINE_AGE, []) : [],
  ]);
  return {
    dialect: 'postgres',
    version: head.version,
    settings: new Map(Object.entries(JSON.parse(head.settings) as Record<string, string>)),
    isStandby: head.is_standby,
    timeline: { number: head.timeline, ageMs: began[0]?.age_ms ?? null },
    isPooledByTransaction: await settings.lend(() => sharesServerProcesses(settings)),
    sessions: head.sessions,
    rights: {
      ownsTables: head.owns_tables,
      mayMakeTemporary: head.may_make_temporary,
      mayCreate: head.may_create,
    },
    seesAllSessions: head.sees_all,
    tablesWithoutAutovacuum: tables.flatMap(({ name, is_vacuumed }) => (is_vacuumed ? [] : [name])),
    deadTuples: tables.map(({ name, live, dead }): DeadTuples => ({ table: name, live, dead })),
    holders: holders.map(
      ({ kind, name, since_ms: sinceMs, age_xids: ageXids }): SnapshotHolder => ({
        kind,
        name,
        sinceMs,
        ageXids,
      }),
    ),
    replica: replica && (await readReplicaFacts(replica)),
    lockHolders: locks.map(toLockHolder),
    lockWaits: waits.map(({ pid, name, waited_ms: waitedMs, blocked_by: blockedBy }): LockWait => ({
      pid,
      applicationName: name,
      waitedMs,
      blockedBy: JSON.parse(blockedBy) as number[],
    })),
  };
}

export async function readOverview(pool: PostgresPool): Promise<DatabaseOverview> {
  const [[row], locks] = await Promise.all([
    pool.run<{ readonly version: string; readonly bytes: number }>(OVERVIEW, []),
    pool.run<LockRecord>(LOCKS, [lockPrefix()]),
  ]);
  if (row === undefined) throw new Error('the server told nothing of itself');
  const { version, bytes } = row;
  return { dialect: 'postgres', version, bytes, lockHolders: locks.map(toLockHolder) };
}

const OVERVIEW: Statement = {
  name: 'server-overview',
  writes: false,
  text: `
    select current_setting('server_version') as version,
      pg_database_size(current_database()) as bytes`,
};

export async function readClock(pool: PostgresPool): Promise<string> {
  const [row] = await pool.run<{ readonly now: string }>(CLOCK, []);
  if (row === undefined) throw new Error('the server told no time');
  return row.now;
}

const CLOCK: Statement = {
  name: 'server-clock',
  writes: false,
  text: 'select clock_timestamp() as now',
};

const HOLDERS_MAX = 20;

/** Read as sessions begin with them: this one has set some of its own. */
const SETTINGS = [
  'synchronous_commit',
  'fsync',
  'full_page_writes',
  'autovacuum',
  'track_counts',
  'idle_in_transaction_session_timeout',
  'statement_timeout',
  'tcp_keepalives_idle',
  'tcp_keepalives_interval',
  'tcp_keepalives_count',
  'max_connections',
  'superuser_reserved_connections',
];

interface ServerRecord {
  readonly version: string;
  readonly settings: string;
  readonly is_standby: boolean;
  readonly timeline: number | null;
  readonly lists_wal: boolean;
  readonly sessions: number;
  readonly sees_all: boolean;
  readonly owns_tables: boolean;
  readonly may_make_temporary: boolean;
  readonly may_create: boolean;
}

const SERVER: Statement = {
  name: 'server-facts',
  writes: false,
  text: `
    select current_setting('server_version') as version,
      (
        select json_object_agg(s.name, s.reset_val)
        from pg_settings s
        where s.name = any($1::text[])
      ) as settings,
      pg_is_in_recovery() as is_standby,
      case
        when not pg_is_in_recovery()
          then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int4
      end as timeline,
      has_function_privilege('pg_ls_waldir()', 'execute') as lists_wal,
      (
        select count(*)
        from pg_stat_activity a
        where a.backend_type = 'client backend'
      ) as sessions,
      pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_all,
      not exists (
        select
        from pg_class c
        where c.relnamespace = current_schema()::regnamespace
          and c.relkind in ('r', 'p')
          and not pg_has_role(current_user, c.relowner, 'member')
      ) as owns_tables,
      has_database_privilege(current_user, current_database(), 'temporary') as may_make_temporary,
      coalesce(
        has_schema_privilege(current_user, current_schema()::regnamespace, 'create'), false
      ) as may_create`,
};

interface TableRecord {
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  readonly is_vacuumed: boolean;
}

const TABLES: Statement = {
  name: 'server-facts-tables',
  writes: false,
  text: `
    select c.relname::text as name, pg_stat_get_live_tuples(c.oid) as live,
      pg_stat_get_dead_tuples(c.oid) as dead,
      coalesce((
        select o.option_value::boolean
        from pg_options_to_table(c.reloptions) o
        where o.option_name = 'autovacuum_enabled'
      ), true) as is_vacuumed
    from pg_class c
    where c.relname = any($1::text[])
      and c.relkind = 'r'
      and c.relnamespace = current_schema()::regnamespace
    order by 1`,
};

interface HolderRecord {
  readonly kind: SnapshotHolder['kind'];
  readonly name: string;
  readonly since_ms: number | null;
  readonly age_xids: number;
}

/** This session has a snapshot of its own, too, and so has vacuum, which holds nothing back. */
const HOLDERS: Statement = {
  name: 'server-facts-holders',
  writes: false,
  text: `
    select h.kind, h.name, h.since_ms, h.age_xids
    from (
      select 'session' as kind,
        a.pid || ' ' || coalesce(nullif(a.application_name, ''), a.usename::text, '?') as name,
        (extract(epoch from clock_timestamp() - a.xact_start) * 1000)::int8 as since_ms,
        greatest(age(a.backend_xmin), age(a.backend_xid))::int8 as age_xids
      from pg_stat_activity a
      where (a.backend_xmin is not null or a.backend_xid is not null)
        and a.pid <> pg_backend_pid()
        and a.backend_type <> 'autovacuum worker'
        and (a.datname = current_database() or a.datname is null)
      union all
      select 'prepared_transaction', p.gid,
        (extract(epoch from clock_timestamp() - p.prepared) * 1000)::int8,
        age(p.transaction)::int8
      from pg_prepared_xacts p
      where p.database = current_database()
      union all
      select 'replication_slot', s.slot_name::text || case when s.active then '' else ' (inactive)' end,
        null, greatest(age(s.xmin), age(s.catalog_xmin))::int8
      from pg_replication_slots s
      where s.xmin is not null
        or s.catalog_xmin is not null
    ) h
    order by h.age_xids desc, h.since_ms desc nulls last
    limit $1`,
};

/** A new timeline begins with its history file. The server removes no such file. */
const TIMELINE_AGE: Statement = {
  name: 'server-facts-timeline-age',
  writes: false,
  text: `
    select (extract(epoch from clock_timestamp() - w.modification) * 1000)::int8 as age_ms
    from pg_ls_waldir() w
    where w.name ~ '^[0-9A-F]{8}[.]history$'
    order by w.name desc
    limit 1`,
};

interface LockRecord {
  readonly pid: number;
  readonly name: string;
  readonly shards: number;
  readonly duties: number;
  readonly migrates: boolean;
}

/** The first half of every key of ours; see `advisory-key.ts` for the second. */
function lockPrefix(): string {
  return String(BigInt(advisoryKey('migration', 0)) >> 32n);
}

const LOCKS: Statement = {
  name: 'server-facts-locks',
  writes: false,
  text: `
    select l.pid, coalesce(max(a.application_name), '') as name,
      count(*) filter (where l.objid::int8 >> 16 = 2) as shards,
      count(*) filter (where l.objid::int8 >> 16 = 3) as duties,
      bool_or(l.objid::int8 >> 16 = 1) as migrates
    from pg_locks l
    left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory'
      and l.granted
      and l.objsubid = 1
      and l.classid::int8 = $1::int8
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
    group by l.pid
    order by l.pid`,
};

function toLockHolder({ pid, name, shards, duties, migrates }: LockRecord): LockHolder {
  return { pid, applicationName: name, shards, duties, isMigrating: migrates };
}

interface WaitRecord {
  readonly pid: number;
  readonly name: string;
  readonly waited_ms: number;
  readonly blocked_by: string;
}

/** `waitstart` is missing for a moment after a wait has begun. */
const WAITS: Statement = {
  name: 'server-facts-lock-waits',
  writes: false,
  text: `
    select w.pid, w.name, w.waited_ms, array_to_json(pg_blocking_pids(w.pid))::text as blocked_by
    from (
      select l.pid, coalesce(max(a.application_name), '') as name,
        max(extract(epoch from clock_timestamp() - l.waitstart) * 1000)::int8 as waited_ms
      from pg_locks l
      join pg_stat_activity a on a.pid = l.pid
      where not l.granted
        and l.waitstart is not null
        and a.datname = current_database()
      group by l.pid
    ) w
    order by w.waited_ms desc
    limit $1`,
};
