import type pg from 'pg';

import { StoreUnavailableError } from '../../unavailable.ts';
import { translateError, translateUnopened } from './errors.ts';
import { ServerClient } from './server-client.ts';
import { SUSPECT_MS } from './server-finder.ts';
import { startSession, type ConnectionSettings, type SessionSettings } from './session.ts';

/*
 * A connection that carries session state (advisory locks, LISTEN) and so cannot come from a pool.
 *
 * States: none · connecting · open · closed. It opens on the first use. When it breaks, everything
 * that its session held is gone, `onLost` reports that at once, and the next use opens a new one.
 * After a failed attempt, uses fail at once for a pause of 250 ms at first and up to 10 s. The
 * server drops a session whose client has vanished after about five seconds (keepalives), so that
 * its locks are free for others; the client notices by the time-out of its next query. The connection
 * also breaks when another server becomes the primary.
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

interface DedicatedParams {
  readonly settings: ConnectionSettings;
  /** Run on each new connection before anything else. */
  readonly onOpen?: (client: pg.Client) => Promise<void>;
  readonly onLost: () => void;
}

export function createDedicatedConnection(params: DedicatedParams): DedicatedConnection {
  const { servers } = params.settings;
  const retry = createRetryPause();
  let current: Promise<ServerClient> | null = null;
  let live: ServerClient | null = null;
  let closed = false;
  const stopListening = servers.onMove(() => {
    if (live !== null && live.epoch !== servers.epoch) giveUp(live);
  });

  function giveUp(client: ServerClient): void {
    client.cutOff();
    if (live !== client) return;
    live = null;
    current = null;
    params.onLost();
  }

  async function connected(): Promise<ServerClient> {
    if (closed) throw unavailable('the connection is closed');
    if (current !== null) return current;
    if (retry.isPausing()) throw unavailable('the last attempt to connect has failed');
    current = openClient(params, giveUp);
    try {
      live = await current;
      retry.noteSuccess();
      return live;
    } catch (error) {
      current = null;
      servers.doubt();
      retry.noteFailure();
      throw translateUnopened(error);
    }
  }

  return {
    async query<Row extends object>(text: string, values: readonly unknown[]) {
      const client = await connected();
      const suspecting = setInterval(() => servers.suspect(), SUSPECT_MS).unref();
      try {
        const result = await client.query<Row>(text, values as unknown[]);
        return result.rows;
      } catch (error) {
        giveUp(client);
        throw translateError(error, { mayBeCarriedOut: true });
      } finally {
        clearInterval(suspecting);
      }
    },
    async close() {
      closed = true;
      stopListening();
      const closing = await current?.catch(() => null);
      live = null;
      current = null;
      await closing?.end();
    },
  };
}

/** `onBroken`: the connection fails after it was opened. */
async function openClient(
  { settings, onOpen }: DedicatedParams,
  onBroken: (client: ServerClient) => void,
): Promise<ServerClient> {
  await settings.servers.find();
  const client = new ServerClient(settings);
  let isOpen = false;
  client.on('error', (error) => {
    settings.onBackgroundError(error);
    if (isOpen) onBroken(client);
  });
  client.on('end', () => {
    if (isOpen) onBroken(client);
  });
  try {
    await client.connect();
    await startSession(client, settings, KEEPALIVES);
    await onOpen?.(client);
  } catch (error) {
    client.cutOff();
    throw error;
  }
  isOpen = true;
  return client;
}

/** The pause after a failed attempt to connect, longer after each. */
function createRetryPause() {
  let failures = 0;
  let retryAt = 0;
  return {
    isPausing: () => performance.now() < retryAt,
    noteSuccess(): void {
      failures = 0;
    },
    noteFailure(): void {
      failures += 1;
      const pause = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures - 1, 10));
      // Up to half of it at random, so that processes do not come back all at once.
      retryAt = performance.now() + pause * (0.5 + Math.random() / 2);
    },
  };
}

function unavailable(reason: string): StoreUnavailableError {
  return new StoreUnavailableError(`database unavailable: ${reason}`, { ambiguous: false });
}
