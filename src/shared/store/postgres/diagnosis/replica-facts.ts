import type { ReplicaFacts } from '../../installation.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { isSameDatabase } from '../connection/replica-reads.ts';

/** The server behind `database.read_url`, beside the primary. */
export interface Replica {
  readonly primary: PostgresPool;
  readonly pool: PostgresPool;
  readonly lagMsMax: number;
}

export async function readReplicaFacts({
  primary,
  pool,
  lagMsMax,
}: Replica): Promise<ReplicaFacts> {
  try {
    const [row] = await pool.run<ReplicaRecord>(REPLICA, []);
    if (row === undefined) throw new Error('the replica told nothing of itself');
    return {
      isReachable: true,
      isStandby: row.is_standby,
      isSameDatabase: await isSameDatabase(primary, pool),
      isReceiving: row.is_receiving,
      replayLagMs: row.replay_lag_ms,
      lagMsMax,
    };
  } catch (error) {
    return { isReachable: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

interface ReplicaRecord {
  readonly is_standby: boolean;
  readonly is_receiving: boolean;
  readonly replay_lag_ms: number | null;
}

/** Behind by what it has received: with nothing left to replay, an idle primary is no lag. */
const REPLICA: Statement = {
  name: 'replica-facts',
  writes: false,
  text: `
    select pg_is_in_recovery() as is_standby,
      exists (select from pg_stat_wal_receiver r where r.pid is not null) as is_receiving,
      case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
        then 0
        else (
          extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000
        )::int8
      end as replay_lag_ms`,
};
