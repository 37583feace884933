import pg from 'pg';

import type { SessionTarget } from '../../../config/postgres-hosts.ts';

/** The answer of one server about its state. */
export type ServerReading =
  | {
      readonly isFit: true;
      /** Copies of one server share it. */
      readonly systemId: string;
      /** Each promotion starts the next one. */
      readonly timeline: number;
    }
  | { readonly isFit: false; readonly isSilent: boolean; readonly error: unknown };

/** Asks over a connection of its own, because a silent connection says nothing about the server. */
export async function probeServer(params: {
  readonly connectionString: string;
  readonly target: SessionTarget;
  readonly timeoutMs: number;
}): Promise<ServerReading> {
  const { connectionString, target, timeoutMs } = params;
  const client = new pg.Client({
    connectionString,
    application_name: 'svc-probe',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<StateRecord>(STATE);
    const problem = findUnfitness(rows[0], target);
    if (problem !== null) return { isFit: false, isSilent: false, error: problem };
    return { isFit: true, ...(await readTimeline(client)) };
  } catch (error) {
    return { isFit: false, isSilent: SILENCE.test(String(error)), error };
  } finally {
    client.end().catch(() => undefined);
  }
}

export interface StateRecord {
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

/** The state of the server behind a session, as two columns. */
export const STATE_COLUMNS = `pg_is_in_recovery() as is_standby,
  current_setting('transaction_read_only')::boolean as is_read_only`;

/** An error with the code that servers give for a write, or null. */
export function findUnfitness(state: StateRecord | undefined, target: SessionTarget): Error | null {
  if (target === 'any' || state === undefined) return null;
  if (state.is_standby) return readOnly('this server is a standby');
  if (target === 'read-write' && state.is_read_only) return readOnly('this server is read-only');
  return null;
}

const READ_ONLY = '25006';

function readOnly(message: string): Error {
  return Object.assign(new Error(message), { code: READ_ONLY });
}

export function isReadOnlyServer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}

const STATE = `select ${STATE_COLUMNS}`;
/** pg's messages for a server that does not answer in time. */
const SILENCE = /timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i;

/** By the server itself: no right, no such function, not supported. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:42|0A)/.test(String(error.code));
}

/** Some managed services refuse these functions: then no server is older than another. */
async function readTimeline(
  client: pg.Client,
): Promise<{ readonly systemId: string; readonly timeline: number }> {
  try {
    const { rows } = await client.query<{
      readonly system: string;
      readonly segment: string | null;
    }>(
      `select system_identifier::text as system,
         case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as segment
       from pg_control_system()`,
    );
    const [row] = rows;
    // A segment's name begins with the timeline, as eight hexadecimal digits.
    return {
      systemId: row?.system ?? '',
      timeline: Number.parseInt(row?.segment?.slice(0, 8) ?? '0', 16),
    };
  } catch (error) {
    // A server that dies here is no answer; it may be the one that another has replaced.
    if (!isRefusal(error)) throw error;
    return { systemId: '', timeline: 0 };
  }
}
