/*
 * The connections of one process: `database.pool_size` + `database.max_overflow` are all that it
 * opens. One each is for notifications, for locks, and for a question whether a silent server still
 * answers. The pools share the rest. Checks and the maintenance of partitions open a connection now and
 * then, and the hot path has one less meanwhile: see `PostgresPool.lend`.
 */

export interface ConnectionShares {
  /** The engine's connections. */
  readonly hot: number;
  /** How many of them stay open. */
  readonly kept: number;
  /** These answer what tenants ask. */
  readonly readers: number;
  readonly management: number;
}

/** With fewer, a process cannot start: one for readers, one for management, three for the engine. */
export const CONNECTIONS_MIN = 8;

const APART = 3;
/** Connections that are never given up: notifications and locks. */
const ALWAYS_OPEN = 2;
/** From so many on, management has a second one. */
const ROOMY = 12;

/** Below the minimum, as in commands, each pool has one. */
export function divideConnections(given: {
  readonly poolSize: number;
  readonly maxOverflow: number;
}): ConnectionShares {
  const total = given.poolSize + given.maxOverflow;
  const management = total < ROOMY ? 1 : 2;
  const shared = total - APART - management;
  const readers = Math.max(1, Math.round(shared / 3));
  const hot = Math.max(1, shared - readers);
  const kept = Math.min(hot, Math.max(1, given.poolSize - ALWAYS_OPEN));
  return { hot, kept, readers, management };
}
