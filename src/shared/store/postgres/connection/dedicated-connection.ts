import pg from 'pg';

import { StoreUnavailableError } from '../../unavailable.ts';
import {
  clientConfig,
  startSession,
  type ConnectionSettings,
  type SessionSettings,
} from './connect.ts';
import { translateError } from './errors.ts';

/*
 * A connection that carries session state (advisory locks, LISTEN) and so cannot come from a pool.
 *
 * States: none · connecting · open · closed. It opens on the first use. When it breaks, everything
 * that its session held is gone, `onLost` reports that at once, and the next use opens a new one.
 * After a failed attempt, uses fail at once for a pause of 250 ms at first and up to 10 s. The
 * server drops a session whose client has vanished after about five seconds (keepalives), so that
 * its locks are free for others; the client notices by the time-out of its next query.
 */

/** In seconds; TCP alone, so a server reached by a socket's file takes them without effect. */
const KEEPALIVES: SessionSettings = {
  tcp_keepalives_idle: '2',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
};
const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 10_000;

export interface DedicatedConnection {
  /** Throws `StoreUnavailableError`; a connection that fails in between is given up. */
  query<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

export function createDedicatedConnection(params: {
  readonly settings: ConnectionSettings;
  /** Run on each new connection before anything else. */
  readonly onOpen?: (client: pg.Client) => Promise<void>;
  readonly onLost: () => void;
}): DedicatedConnection {
  const { settings, onOpen, onLost } = params;
  let current: Promise<pg.Client> | null = null;
  let failures = 0;
  let retryAt = 0;
  let closed = false;

  async function open(): Promise<pg.Client> {
    const client = new pg.Client(clientConfig(settings));
    let isOpen = false;
    client.on('error', (error) => {
      settings.onBackgroundError(error);
      if (isOpen) giveUp(client);
    });
    client.on('end', () => {
      if (isOpen) giveUp(client);
    });
    try {
      await client.connect();
      await startSession(client, settings, KEEPALIVES);
      await onOpen?.(client);
    } catch (error) {
      destroy(client);
      throw error;
    }
    isOpen = true;
    return client;
  }

  let live: pg.Client | null = null;

  function giveUp(client: pg.Client): void {
    destroy(client);
    if (live !== client) return;
    live = null;
    current = null;
    onLost();
  }

  async function connected(): Promise<pg.Client> {
    if (closed) throw unavailable('the connection is closed');
    if (current !== null) return current;
    if (performance.now() < retryAt) throw unavailable('the last attempt to connect has failed');
    current = open();
    try {
      live = await current;
      failures = 0;
      return live;
    } catch (error) {
      current = null;
      failures += 1;
      const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures - 1, 10));
      // Up to half of it at random, so that processes do not come back all at once.
      retryAt = performance.now() + pause * (0.5 + Math.random() / 2);
      throw translateError(error, { mayBeCarriedOut: false });
    }
  }

  return {
    async query<Row extends object>(text: string, values: readonly unknown[]) {
      const client = await connected();
      try {
        const result = await client.query<Row>(text, values as unknown[]);
        return result.rows;
      } catch (error) {
        giveUp(client);
        throw translateError(error, { mayBeCarriedOut: true });
      }
    },
    async close() {
      closed = true;
      const closing = await current?.catch(() => null);
      live = null;
      current = null;
      await closing?.end();
    },
  };
}

function unavailable(reason: string): StoreUnavailableError {
  return new StoreUnavailableError(`database unavailable: ${reason}`, { ambiguous: false });
}

/** Without waiting: the other side may never answer. */
function destroy(client: pg.Client): void {
  client.end().catch(() => undefined);
}
