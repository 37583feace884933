import { StoreUnavailableError, type Shortage } from '../store/unavailable.ts';

/*
 * While the database is away or full, each request and each round fails for the same reason. One line
 * a minute says so, for each subject and reason; the lines in between would fill the disk of the log,
 * which may be the one that is full. Errors of any other kind are all logged.
 */

const EVERY_MS = 60_000;

export interface OutageLines {
  /** The fields that the line gets; null: it is left out. */
  next(subject: string, error: unknown): { readonly left_out?: number } | null;
}

/** `now` gives milliseconds. */
export function createOutageLines(now: () => number): OutageLines {
  const told = new Map<string, { readonly at: number; leftOut: number }>();
  return {
    next(subject, error) {
      const reason = reasonOf(error);
      if (reason === null) return {};
      const key = `${subject} ${reason}`;
      const last = told.get(key);
      if (last !== undefined && now() - last.at < EVERY_MS) {
        last.leftOut += 1;
        return null;
      }
      told.set(key, { at: now(), leftOut: 0 });
      return last === undefined || last.leftOut === 0 ? {} : { left_out: last.leftOut };
    },
  };
}

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The same log, whose warnings about an outage do not repeat. */
export function warnOnce(log: Log, now: () => number): Log {
  const outages = createOutageLines(now);
  return {
    info: (fields, message) => log.info(fields, message),
    warn(fields, message) {
      const more = outages.next(message, 'err' in fields ? fields.err : null);
      if (more !== null) log.warn({ ...fields, ...more }, message);
    },
    error: (fields, message) => log.error(fields, message),
  };
}

function reasonOf(error: unknown): Shortage | 'away' | null {
  const cause = error instanceof StoreUnavailableError ? error : (error as Error | null)?.cause;
  if (!(cause instanceof StoreUnavailableError)) return null;
  return cause.shortOf ?? 'away';
}
