import { InvalidArgumentError, type Command } from 'commander';

import { printNote } from '../output.ts';

interface WatchOptions {
  /** Milliseconds between two readings, or `true`: 2 seconds. Absent: read once. */
  readonly watch?: number | true;
}

const WATCH_MS = 2000;
const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';

/** Lets a command that reads be repeated until it is interrupted. */
export function addWatchOption(command: Command): Command {
  return command.option(
    '--watch [seconds]',
    'read again every 2 seconds, or as often as given',
    parseSeconds,
  );
}

type Action = Parameters<Command['action']>[0];

/** The action of a command with `--watch`. On a terminal, each result replaces the last. */
export function watched(act: Action): Action {
  return async function repeat(this: Command, ...args) {
    // Commander passes the options before the command itself.
    const { watch } = args.at(-2) as WatchOptions;
    if (watch === undefined) return act.apply(this, args);
    const everyMs = watch === true ? WATCH_MS : watch;
    for (let hasRead = false; ;) {
      if (process.stdout.isTTY) process.stdout.write(CLEAR_SCREEN);
      try {
        await act.apply(this, args);
        hasRead = true;
      } catch (error) {
        // An address or a token that is wrong shows at once.
        if (!hasRead || !isPassing(error)) throw error;
        printNote(`${(error as Error).message}; reading again`);
      }
      if (process.stdout.isTTY) printNote(`\nevery ${everyMs / 1000} s; Ctrl-C ends it`);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
}

/** Whether the runtime may answer the next reading: it is away, stopping or overloaded. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ApiUnreachableError') return true;
  const status = 'status' in error ? error.status : null;
  return error.name === 'ApiError' && (status === 429 || status === 503);
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d*\.?\d+$/.test(text) && seconds >= 0.1 && seconds <= 3600) return seconds * 1000;
  throw new InvalidArgumentError('Expected a number of seconds from 0.1 to 3600.');
}
