import type { Session, SessionHandlers } from './open-session.ts';

/** A session while a call uses it. */
export interface HeldSession {
  readonly session: Session;
  /** Whether calls were made on it before. */
  readonly wasReused: boolean;
  /** Aborted, with the reason, when its connection fails under a call. */
  readonly broken: AbortSignal;
  /** Closes it once no call uses it, and lets nobody else have it. */
  drop(): void;
  release(): void;
}

export type Open = (handlers: SessionHandlers) => Promise<Session>;

export class TooManySessions extends Error {
  override readonly name = 'TooManySessions';
}

interface Entry {
  readonly opening: Promise<Session>;
  readonly broken: AbortController;
  users: number;
  uses: number;
  idle: NodeJS.Timeout | null;
}

/**
 * Sessions by key, shared by calls at the same time, opened once however many ask, closed when idle,
 * and at most so many: of those without a call the one that waited longest makes room.
 */
export function createSessions(limits: {
  readonly idleMs?: number;
  readonly sessionsMax?: number;
}) {
  const { idleMs = 60_000, sessionsMax = 64 } = limits;
  /** In the order of last use. */
  const entries = new Map<string, Entry>();
  /** Those as well that calls use still, and that nobody else is to have. */
  const open = new Map<Entry, string>();
  const closing = new Set<Promise<void>>();
  let isClosed = false;

  const remove = (key: string, entry: Entry) => {
    if (entries.get(key) === entry) entries.delete(key);
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.idle = null;
  };
  const end = (key: string, entry: Entry): void => {
    remove(key, entry);
    if (!open.delete(entry)) return;
    const done = entry.opening
      .then((session) => session.close())
      .catch(() => undefined)
      .finally(() => closing.delete(done));
    closing.add(done);
  };
  const makeRoom = () => {
    if (entries.size < sessionsMax) return;
    const idle = [...entries].find(([, entry]) => entry.users === 0);
    if (idle === undefined) throw new TooManySessions('all sessions are in use');
    end(...idle);
  };
  const start = (key: string, openSession: Open): Entry => {
    makeRoom();
    const broken = new AbortController();
    const opening = openSession({
      signal: broken.signal,
      onClose: () => {
        remove(key, entry);
        open.delete(entry);
        broken.abort(new ConnectionLost('closed'));
      },
      onError(error) {
        // The caller of the broken answer is unknown: each of several calls only learns that it has
        // no answer.
        if (!isFatal(error)) return;
        remove(key, entry);
        broken.abort(entry.users > 1 ? new ConnectionLost('broken') : error);
        if (entry.users === 0) end(key, entry);
      },
    });
    const entry: Entry = { opening, broken, users: 0, uses: 0, idle: null };
    open.set(entry, key);
    opening.catch(() => remove(key, entry));
    return entry;
  };

  return {
    /** Rejects with what opening it failed with, or the reason of `signal`. */
    async hold(key: string, signal: AbortSignal, openSession: Open): Promise<HeldSession> {
      signal.throwIfAborted();
      if (isClosed) throw new ConnectionLost('shutting down');
      const entry = entries.get(key) ?? start(key, openSession);
      entries.delete(key);
      entries.set(key, entry);
      if (entry.idle !== null) clearTimeout(entry.idle);
      entry.idle = null;
      entry.users += 1;
      const wasReused = entry.uses > 0;
      entry.uses += 1;
      let isDropped = false;
      const release = () => {
        entry.users -= 1;
        if (entry.users > 0) return;
        const isCurrent = entries.get(key) === entry;
        if (isDropped || entry.broken.signal.aborted || !isCurrent) end(key, entry);
        else entry.idle = setTimeout(() => end(key, entry), idleMs).unref();
      };
      try {
        // Others may wait for the same session: one that gives up doesn't end it for them.
        const ended = AbortSignal.any([signal, entry.broken.signal]);
        const session = await untilAborted(entry.opening, ended);
        return {
          session,
          wasReused,
          broken: entry.broken.signal,
          drop() {
            isDropped = true;
            remove(key, entry);
          },
          release,
        };
      } catch (error) {
        release();
        throw error;
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      for (const [entry, key] of open) {
        entry.broken.abort(new ConnectionLost('shutting down'));
        end(key, entry);
      }
      await Promise.all(closing);
    },
  };
}

export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Refused by our own guards: the SDK would wait for an answer that nobody reads any more. */
function isFatal(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'HttpError' || at.name === 'AuthorizationError') return true;
  }
  return false;
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, aborted.promise]).finally(() =>
    signal.removeEventListener('abort', stop),
  );
}
