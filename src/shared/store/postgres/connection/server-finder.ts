import { splitHosts, type SessionTarget } from '../../../config/postgres-hosts.ts';
import { StoreUnavailableError } from '../../unavailable.ts';
import { isReadOnlyServer, probeServer, type ServerReading } from './probe-server.ts';
import { withPassword } from './with-password.ts';

/*
 * The finder knows which server of a URL is the primary, for all connections of a process.
 *
 * States: known · unknown. A URL with one host is always known. With several, the first connection
 * and each failed one make the finder ask all hosts at once. If several primaries answer, it takes
 * the one with the highest timeline, and never goes back to a lower one: a primary that others have
 * replaced, and that still runs, has a lower timeline.
 *
 * The epoch counts moves. Connections of an earlier epoch are closed: the finder tells its listeners.
 * An epoch ends when a server says that it is read-only, when another host has become the primary,
 * or when the server falls silent. Three things find this out: a failed attempt to connect, a refused
 * write, and a statement without an answer for `SUSPECT_MS`. After the last one the finder asks over
 * new connections, because a slow statement alone is no proof.
 *
 * Nothing is trusted for correctness. A connection to a replaced primary can commit nothing that its
 * standby must confirm, and fences and sequences guard the rest.
 */

/** A statement without an answer for so long makes the finder look. */
export const SUSPECT_MS = 2_000;
/** After the first primary has answered, the others have this long. */
const SETTLE_MS = 300;
/** A server that refuses writes for long ends its connections no more often. */
const EPOCH_MS_MIN = 1_000;

export interface ServerFinder {
  readonly target: SessionTarget;
  /** The URL of one server, with the password as its file has it now. */
  connectionString(): string;
  readonly epoch: number;
  /** Before a connection: resolves at once while the server is known; throws when there is none. */
  find(): Promise<void>;
  /** An attempt to connect has failed: the next `find` asks all hosts. */
  doubt(): void;
  /** The server of this epoch refuses to write. */
  leave(epoch: number): void;
  /** A statement has been without an answer for long. */
  suspect(): void;
  /** Told after each move; returns how to stop that. */
  onMove(listener: () => void): () => void;
}

export function createServerFinder(params: {
  readonly url: string;
  readonly passwordFile?: string | null | undefined;
  readonly connectTimeoutMs: number;
  /** In place of what the URL says. */
  readonly target?: SessionTarget;
}): ServerFinder {
  const { urls, target: ofUrl } = splitHosts(params.url);
  const { target = ofUrl } = params;
  const [firstUrl = params.url] = urls;
  const isOne = urls.length === 1;
  const listeners = new Set<() => void>();
  const newest = new Map<string, number>();
  let address: string = firstUrl;
  let isKnown = isOne;
  let epoch = 0;
  let movedAt = -Infinity;
  let search: Promise<Search> | null = null;

  function move(): void {
    epoch += 1;
    movedAt = performance.now();
    for (const listener of listeners) listener();
  }

  function doubt(): void {
    isKnown = isOne;
  }

  function leave(of: number): void {
    doubt();
    if (of === epoch && performance.now() - movedAt >= EPOCH_MS_MIN) move();
  }

  /** One search at a time, for everybody who waits for it. */
  function ask(): Promise<Search> {
    search ??= searchPrimary({
      urls,
      newest,
      probe: async (url) =>
        probeServer({
          connectionString: withPassword(url, params.passwordFile),
          target,
          timeoutMs: params.connectTimeoutMs,
        }),
    }).finally(() => {
      search = null;
    });
    return search;
  }

  function take(url: string): void {
    const isOther = url !== address;
    address = url;
    isKnown = true;
    if (isOther) move();
  }

  return {
    target,
    connectionString: () => withPassword(address, params.passwordFile),
    get epoch() {
      return epoch;
    },
    async find() {
      if (isKnown) return;
      const { primary, readings } = await ask();
      if (primary === null) throw nonePrimary(readings);
      take(primary);
    },
    doubt,
    leave,
    suspect() {
      const suspected = epoch;
      void ask().then(({ primary, readings }) => {
        if (epoch !== suspected) return;
        if (primary !== null) return take(primary);
        const reading = readings.get(address);
        if (reading === undefined || reading.isFit) return;
        if (reading.isSilent || isReadOnlyServer(reading.error)) {
          doubt();
          move();
        }
      });
    },
    onMove(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

interface Search {
  readonly primary: string | null;
  readonly readings: ReadonlyMap<string, ServerReading>;
}

/** Asks all hosts at once: a silent host must not delay the others. */
async function searchPrimary(params: {
  readonly urls: readonly string[];
  /** The highest timeline seen of each cluster, by its system identifier; kept up to date here. */
  readonly newest: Map<string, number>;
  readonly probe: (url: string) => Promise<ServerReading>;
}): Promise<Search> {
  const { urls, newest, probe } = params;
  const readings = new Map<string, ServerReading>();
  const settled = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const all = Promise.all(
    urls.map(async (url) => {
      // A file of the password or of TLS may be missing, and nobody may wait for the search.
      const reading = await probe(url).catch(unread);
      readings.set(url, reading);
      if (isNewest(reading, newest)) timer ??= setTimeout(settled.resolve, SETTLE_MS);
    }),
  );
  await Promise.race([all, settled.promise]);
  clearTimeout(timer);
  let primary: string | null = null;
  for (const url of urls) {
    const reading = readings.get(url);
    if (reading === undefined || !isNewest(reading, newest)) continue;
    const seen = newest.get(reading.systemId);
    if (primary !== null && seen === reading.timeline) continue;
    newest.set(reading.systemId, reading.timeline);
    primary = url;
  }
  return { primary, readings };
}

function unread(error: unknown): ServerReading {
  return { isFit: false, isSilent: false, error };
}

function isNewest(
  reading: ServerReading,
  newest: ReadonlyMap<string, number>,
): reading is Extract<ServerReading, { isFit: true }> {
  return reading.isFit && reading.timeline >= (newest.get(reading.systemId) ?? 0);
}

function nonePrimary(readings: ReadonlyMap<string, ServerReading>): StoreUnavailableError {
  const told = [...readings].map(([url, reading]) => {
    const { host } = new URL(url);
    if (reading.isFit) return `${host} is a primary that another has replaced`;
    const { error } = reading;
    return `${host}: ${error instanceof Error ? error.message : String(error)}`;
  });
  const [cause] = [...readings.values()].flatMap((reading) =>
    reading.isFit ? [] : [reading.error],
  );
  const message = `database unavailable: no host is the primary (${told.join('; ')})`;
  return new StoreUnavailableError(message, { ambiguous: false, cause });
}
