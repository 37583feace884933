import { tellDuration } from '../../domain/execution/explain/scene.ts';
import type { PostgresFacts, SnapshotHolder } from '../../store/installation.ts';
import {
  AFTER_RESTORE,
  type Check,
  type DoctorFacts,
  fail,
  type Finding,
  ok,
  skipped,
  warn,
} from './check.ts';
import type { Bounds, Limits } from './limits.ts';

/** A check that applies to PostgreSQL alone. */
function onPostgres(
  name: string,
  judge: (server: PostgresFacts, limits: Limits, facts: DoctorFacts) => Finding | null,
): Check {
  return {
    name,
    needs: 'server',
    judge: (facts, limits) =>
      facts.server.dialect === 'postgres' ? judge(facts.server, limits, facts) : null,
  };
}

function setting({ settings }: PostgresFacts, name: string): string {
  return settings.get(name) ?? '';
}

/** An acknowledged change must be on disk and survive a crash of the machine. */
const durability = onPostgres('durability', (server) => {
  const names = ['synchronous_commit', 'fsync', 'full_page_writes'];
  const seen = names.map((name) => `${name} ${setting(server, name)}`).join(', ');
  const off = names.filter((name) => setting(server, name) === 'off');
  if (off.length === 0) return ok(seen);
  return fail(seen, `switch on ${off.join(', ')}: a crash of the machine loses what was answered`);
});

const autovacuum = onPostgres('autovacuum', (server) => {
  const off = ['autovacuum', 'track_counts'].filter((name) => setting(server, name) !== 'on');
  if (off.length > 0) {
    return fail(`${off.join(', ')} off`, 'switch it on: dead rows slow every claim down');
  }
  const { tablesWithoutAutovacuum: tables } = server;
  if (tables.length === 0) return ok('on, for all hot tables');
  return fail(
    `off for ${tables.join(', ')}`,
    `alter table … reset (autovacuum_enabled): ${tables.join(', ')}`,
  );
});

const deadTuples = onPostgres('dead rows', (server, { deadTuplesWarn }) => {
  const worst = server.deadTuples.toSorted((one, other) => other.dead - one.dead)[0];
  if (worst === undefined) return ok('it has no tables of svc');
  const seen = `most in ${worst.table}: ${worst.dead} dead, ${worst.live} live`;
  const tooMany = worst.dead > deadTuplesWarn && worst.dead > worst.live;
  return tooMany ? warn(seen, 'see what holds vacuum back, and vacuum the table') : ok(seen);
});

const vacuumHolders = onPostgres('snapshots', (server, { snapshotMs, snapshotXids }) => {
  const judged = server.holders.map((holder) => ({
    holder,
    grade: Math.max(grade(holder.sinceMs ?? 0, snapshotMs), grade(holder.ageXids, snapshotXids)),
  }));
  const [worst] = judged.toSorted((one, other) => other.grade - one.grade);
  if (worst === undefined) {
    return server.seesAllSessions
      ? ok('nothing holds vacuum back')
      : skipped(
          'sessions of other users cannot be seen',
          'grant pg_read_all_stats to the user of this command',
        );
  }
  const seen = describeHolder(worst.holder);
  if (worst.grade === 0) return ok(seen);
  return worst.grade === 2
    ? fail(seen, adviceFor(worst.holder))
    : warn(seen, adviceFor(worst.holder));
});

function grade(value: number, { warn: some, fail: many }: Bounds): number {
  return value >= many ? 2 : value >= some ? 1 : 0;
}

function describeHolder({ kind, name, sinceMs, ageXids }: SnapshotHolder): string {
  const since = sinceMs === null ? '' : ` for ${tellDuration(sinceMs)}`;
  return `${kind.replaceAll('_', ' ')} ${name} holds vacuum back${since}, ${ageXids} transactions`;
}

function adviceFor({ kind, name }: SnapshotHolder): string {
  switch (kind) {
    case 'session':
      return `end its transaction: select pg_terminate_backend(${Number.parseInt(name, 10)})`;
    case 'prepared_transaction':
      return 'commit prepared or rollback prepared it';
    case 'replication_slot':
      return 'let its reader catch up, or drop the slot';
  }
}

const lockWaits = onPostgres('lock waits', ({ lockWaits: waits }, { lockWaitMs }) => {
  const [longest] = waits;
  if (longest === undefined) return ok('nobody waits for a lock');
  const { pid, applicationName, waitedMs, blockedBy } = longest;
  const seen =
    `${waits.length} waiting; longest ${pid} ${applicationName}, for ${tellDuration(waitedMs)}, ` +
    `behind ${blockedBy.join(', ')}`;
  const advice = `see what these sessions do, or end them: select pg_terminate_backend(${blockedBy[0] ?? pid})`;
  const graded = grade(waitedMs, lockWaitMs);
  if (graded === 0) return ok(seen);
  return graded === 2 ? fail(seen, advice) : warn(seen, advice);
});

const timeouts = onPostgres('time-outs', (server) => {
  const idleMs = Number(setting(server, 'idle_in_transaction_session_timeout'));
  const statementMs = Number(setting(server, 'statement_timeout'));
  const seen = `idle in transaction ${tellLimit(idleMs)}, statements ${tellLimit(statementMs)}`;
  if (statementMs > 0 && statementMs < MIGRATION_MS) {
    return warn(seen, 'give the role of the migrations a longer statement_timeout, or none');
  }
  if (idleMs > 0) return ok(seen);
  return warn(
    seen,
    'set idle_in_transaction_session_timeout, such as 60s: a forgotten transaction holds vacuum back',
  );
});

const MIGRATION_MS = 60_000;

function tellLimit(ms: number): string {
  return ms === 0 ? 'without end' : tellDuration(ms);
}

/** Our lock connections ask for keepalives of their own; the rest may take the server's. */
const keepalives = onPostgres('keepalives', (server) =>
  ok(
    ['idle', 'interval', 'count']
      .map((name) => `${name} ${setting(server, `tcp_keepalives_${name}`)}`)
      .join(', '),
  ),
);

const connections = onPostgres('connections', (server, _limits, { setup, tables }) => {
  const total = Number(setting(server, 'max_connections'));
  const room = total - Number(setting(server, 'superuser_reserved_connections'));
  const processes = Math.max(1, tables?.processes.filter(({ isSeen }) => isSeen).length ?? 1);
  const needed = processes * setup.connectionsPerProcess;
  const seen = `${server.sessions} open, ${room} may be; ${processes} of our processes may want ${needed}`;
  const advice = 'raise max_connections, or lower database.pool_size and database.max_overflow';
  if (needed > room) return warn(seen, advice);
  return server.sessions >= room ? fail(seen, advice) : ok(seen);
});

const pooling = onPostgres('pooling', ({ isPooledByTransaction }) =>
  isPooledByTransaction
    ? fail(
        'a pooler hands the same server process to several sessions',
        'set database.direct_url to a URL past the pooler, or pool by session: locks and notifications ' +
          'belong to sessions',
      )
    : ok('sessions keep their server process'),
);

/** The service works without it, so nothing here is a failure. */
const replica = onPostgres('replica', ({ replica: facts }) => {
  if (facts === null) return null;
  if (!facts.isReachable) {
    return warn(`database.read_url does not answer: ${facts.reason}`, `start it, or ${UNSET}`);
  }
  if (!facts.isSameDatabase) {
    return warn('database.read_url leads to another database than database.url', CORRECT);
  }
  if (!facts.isStandby)
    return warn('database.read_url leads to a server that is no standby', CORRECT);
  if (!facts.isReceiving) {
    return warn('a standby that receives nothing from its primary', 'see its own log');
  }
  const { replayLagMs, lagMsMax } = facts;
  const seen = `a standby, ${replayLagMs === null ? 'unknown' : tellLag(replayLagMs)} behind in its replay`;
  if (replayLagMs === null || replayLagMs <= lagMsMax) return ok(seen);
  return warn(
    seen,
    `lists may be ${tellLag(lagMsMax)} behind, so the primary answers: see what holds it back`,
  );
});

const UNSET = 'unset database.read_url: until then, lists come from the primary';
const CORRECT = 'name a standby that streams from the primary, or unset database.read_url';

/** Small lags matter here, where `tellDuration` tells seconds. */
function tellLag(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : tellDuration(ms);
}

/** Functions run with the rights of the owner: a role that owns nothing shall put nothing in their way. */
const rights = onPostgres('rights', ({ rights: { ownsTables, mayMakeTemporary, mayCreate } }) => {
  if (ownsTables) return ok('the role owns the tables');
  const held = [
    ...(mayMakeTemporary ? ['temporary tables'] : []),
    ...(mayCreate ? ['tables and functions in the schema'] : []),
  ];
  if (held.length === 0) return ok('the role owns nothing and creates nothing');
  return warn(
    `the role owns no table and may create ${held.join(', and ')}`,
    'as the owner: revoke temporary on database … from public; revoke create on schema … from public',
  );
});

/** The first timeline belongs to a server that went back to no earlier moment. */
const restore = onPostgres('restore', ({ timeline }, { restoredMsWarn }) => {
  const { number, ageMs } = timeline;
  if (number === null) return skipped('a standby follows the timeline of its primary');
  if (number === 1) return ok('timeline 1: no restore to a point in time, no failover');
  const seen = `timeline ${number}, begun by a restore or a failover`;
  if (ageMs === null) return ok(`${seen}; a member of pg_monitor also reads when`);
  const dated = `${seen} ${tellDuration(ageMs)} ago`;
  return ageMs < restoredMsWarn ? warn(dated, AFTER_RESTORE) : ok(dated);
});

export const POSTGRES_CHECKS = [
  durability,
  autovacuum,
  deadTuples,
  vacuumHolders,
  lockWaits,
  timeouts,
  keepalives,
  connections,
  pooling,
  replica,
  rights,
  restore,
];
