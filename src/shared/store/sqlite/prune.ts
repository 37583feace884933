import { REQUEST_KEY_MS } from './commit-judge.ts';
import type { Connection } from './connect.ts';
import { WORKER_SILENCE_MS_MAX } from './workers.ts';

/** Deletes what no reading shows any more; returns the number of rows. */
export function prune(connection: Connection): Promise<number> {
  return connection.write(() => {
    const now = connection.now();
    const workers = connection.run('delete from workers where last_heartbeat <= :silent_since', {
      silent_since: now - WORKER_SILENCE_MS_MAX,
    });
    const keys = connection.run('delete from request_keys where created_at <= :expired_since', {
      expired_since: now - REQUEST_KEY_MS,
    });
    return workers + keys;
  });
}
