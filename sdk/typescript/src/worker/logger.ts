import { toJson } from '../to-json.ts';

/** Where a worker writes what it does. A pino logger fits as it is. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/**
 * Writes each message as one line of JSON: `time` (RFC 3339), `level`, `message` and the fields.
 * Lines go to stderr, and lines below `level` (default `info`) nowhere.
 */
export function createJsonLogger(
  options: { readonly level?: Level; readonly write?: (line: string) => void } = {},
): Logger {
  const { level = 'info', write = (line: string) => void process.stderr.write(line) } = options;
  const at = (own: Level) => (fields: LogFields, message: string) => {
    if (LEVELS.indexOf(own) < LEVELS.indexOf(level)) return;
    const time = new Date().toISOString();
    write(`${JSON.stringify({ time, level: own, message, ...readable(fields) })}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A field that is no JSON is what is wrong with it: a line of a log fails no work. */
function readable(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const read = toJson(value, name);
      return [name, read.ok ? read.value : read.problem];
    }),
  );
}

/** Writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A logger that adds `own` to every line; `isSilent` drops lines while it answers true. */
export function bindLogger(
  logger: Logger,
  given: { readonly fields: LogFields; readonly isSilent?: () => boolean },
): Logger {
  const at = (level: Level) => (fields: LogFields, message: string) => {
    if (given.isSilent?.() === true) return;
    logger[level]({ ...given.fields, ...fields }, message);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
