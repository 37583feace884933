import { createRequire } from 'node:module';
import pino from 'pino';
import { describeError, MASK, redactFields, redactText, SECRET_BINDINGS } from './redact.ts';

export type Logger = pino.Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where lines go; process.stdout and any stream will do. */
export interface LogDestination {
  write(line: string): void;
}

/**
 * The process's logger: one JSON object a line, or readable lines with `pretty`. Add ids with a
 * child logger (`log.child({ execution_id })`) or as fields of the call, in the wire's snake_case.
 *
 * Secrets never reach the output: fields are masked by name on the way in, and credentials inside
 * texts (URLs, bearer tokens in messages and stacks) on the way out. Payloads (`input`, `output`,
 * `state`, …) are dropped from `info` up, and from every level when `redactState` is on.
 */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly format: 'json' | 'pretty';
  /** Key `logging.redact_state`. */
  readonly redactState: boolean;
  /** On every line: role, version, process id. */
  readonly base: Readonly<Record<string, string>>;
  readonly destination?: LogDestination;
}): Logger {
  const destination = options.destination ?? pino.destination({ dest: 1, sync: true });
  const keepPayloads = (level: number) => !options.redactState && level < INFO;
  return pino(
    {
      level: options.level,
      base: options.base,
      messageKey: 'msg',
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_BINDINGS, censor: MASK },
      serializers: { err: describeError, error: describeError },
      formatters: {
        level: (label) => ({ level: label }),
      },
      hooks: {
        logMethod(args, method, level) {
          const [fields, ...rest] = args as readonly unknown[];
          const first = isFields(fields)
            ? redactFields(fields, { keepPayloads: keepPayloads(level) })
            : fields;
          Reflect.apply(method, this, [first, ...rest]);
        },
        streamWrite: redactText,
      },
    },
    options.format === 'pretty' ? readable(destination) : destination,
  );
}

const INFO = 30;

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}

/** Loaded only when asked for: production writes JSON and should not pay for the formatter. */
function readable(destination: LogDestination): LogDestination {
  const load = createRequire(import.meta.url);
  const { prettyFactory } = load('pino-pretty') as {
    prettyFactory: (options: object) => (line: string) => string;
  };
  const format = prettyFactory({
    colorize: process.stdout.isTTY,
    translateTime: 'HH:MM:ss.l',
    ignore: 'pid,hostname',
  });
  return { write: (line) => destination.write(format(line)) };
}
