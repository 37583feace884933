import type { Logger } from '../../src/shared/telemetry/log.ts';
import { EXIT } from '../cli/exit-code.ts';
import { boundOldGeneration } from './bound-old-generation.ts';
import { endWithNpm } from './end-with-npm.ts';

/*
 * The life of a process that serves. The first SIGTERM, SIGINT or SIGHUP asks it to stop: while it
 * is starting, the start is broken off, unless its API listens; later, it takes on nothing more, finishes or
 * gives back what it has, and exits with 0. Before that an API may serve on for a while and only say that it is leaving,
 * for load balancers to notice. Another signal ends it at once, and so does a drain that is not over
 * some time after its deadline. Neither loses anything: what was acknowledged is in the database,
 * and leases that nobody renews are handed out again.
 *
 * A signal within REPEAT_MS of the first is the same request. A signal to a process group arrives
 * twice where a launcher (npx, an older Node) passes its own copy on; systemd's default KillMode and
 * Ctrl-C in a terminal both send one.
 */

export interface Runtime {
  /** Takes on nothing more; resolves when everything is finished, given back or cut off. */
  stop(params: { readonly leaveMs: number; readonly deadlineMs: number }): Promise<void>;
}

/** The time for closing connections after the deadline of the work itself. */
export const GRACE_MS = 5_000;
/** `bin/launch/launch.js` has the same text. */
const PARENT_ENDED = 'the parent of the launcher has ended';
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** How long copies of the first signal may take to arrive. */
export const REPEAT_MS = 1_000;
/**
 * The exit code that a shell reports for a process ended by a signal: 128 plus the signal's number.
 */
const SIGNAL_CODES = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 };

/** Starts a runtime and resolves when it has been asked to stop and has done so. */
export async function runUntilStopped(params: {
  readonly log: Logger;
  readonly deadlineMs: number;
  /** How long it serves on before that. */
  readonly leaveMs?: number;
  /** Rejects soon after the signal is aborted, or gives a runtime to stop if it serves requests already. */
  readonly start: (signal: AbortSignal) => Promise<Runtime>;
}): Promise<void> {
  const { log, deadlineMs, leaveMs = 0, start } = params;
  exitOnUnhandledErrors(log);
  const stopping = listenForSignals(log);
  let runtime: Runtime;
  try {
    runtime = await start(stopping);
  } catch (error) {
    if (!stopping.aborted) throw error;
    log.info('stopped before it was ready');
    return;
  }
  boundOldGeneration();
  await aborted(stopping);
  log.info({ signal: stopping.reason as string, deadline_ms: deadlineMs }, 'stopping');
  const overrun = setTimeout(
    () => {
      log.error({ deadline_ms: deadlineMs }, 'still busy after the deadline: exiting anyway');
      process.exit(EXIT.failure);
    },
    leaveMs + deadlineMs + GRACE_MS,
  );
  const isClean = await runtime.stop({ leaveMs, deadlineMs }).then(
    () => true,
    (error: unknown) => {
      log.error({ err: error }, 'stopping failed: other processes will take over the running work');
      return false;
    },
  );
  clearTimeout(overrun);
  log.info('stopped');
  // A connection or thread that a library keeps must not keep the process.
  process.exit(isClean ? EXIT.ok : EXIT.failure);
}

function listenForSignals(log: Logger): AbortSignal {
  const controller = new AbortController();
  let askedAt = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!controller.signal.aborted) {
        askedAt = performance.now();
        controller.abort(signal);
        return;
      }
      if (performance.now() - askedAt < REPEAT_MS) return;
      log.warn({ signal }, 'asked to stop again: exiting at once');
      process.exit(SIGNAL_CODES[signal]);
    });
  }
  endWithNpm({
    env: process.env,
    parent: () => process.ppid,
    onParentEnded: (end) => {
      process.on('message', (message) => {
        if (message === PARENT_ENDED) end();
      });
      // A listener keeps the channel, and with it the process, alive.
      process.channel?.unref();
    },
    stop: () => {
      if (controller.signal.aborted) return;
      askedAt = performance.now();
      controller.abort('the end of npm');
    },
  });
  return controller.signal;
}

/** Also for rejections nobody handles, which Node turns into exceptions. */
function exitOnUnhandledErrors(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'unhandled error: exiting, as its effects are unknown');
    process.exit(EXIT.failure);
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
