import type { Logger } from '../../src/shared/telemetry/log.ts';
import { EXIT } from './exit-code.ts';

/*
 * The life of a process that serves. The first SIGTERM, SIGINT or SIGHUP asks it to stop: while it
 * is starting, the start is broken off; later, it takes on nothing more, finishes or gives back what
 * it has, and exits with 0. Before that an API may serve on for a while and only say that it is leaving,
 * for load balancers to notice. A second signal ends it at once, and so does a drain that is not over
 * some time after its deadline. Neither loses anything: what was acknowledged is in the database,
 * and leases that nobody renews are handed out again.
 */

export interface Runtime {
  /** Takes on nothing more; resolves when everything is finished, given back or cut off. */
  stop(params: { readonly leaveMs: number; readonly deadlineMs: number }): Promise<void>;
}

/** What closing connections may take after the work itself has had its deadline. */
export const GRACE_MS = 5_000;
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** What a shell reports for a process that a signal ended: 128 and the signal's number. */
const SIGNAL_CODES = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 };

/** Starts a runtime and resolves when it has been asked to stop and has done so. */
export async function runUntilStopped(params: {
  readonly log: Logger;
  readonly deadlineMs: number;
  /** How long it serves on before that. */
  readonly leaveMs?: number;
  /** Rejects soon after the signal is aborted. */
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
  await aborted(stopping);
  log.info({ signal: stopping.reason as string, deadline_ms: deadlineMs }, 'stopping');
  const overrun = setTimeout(
    () => {
      log.error({ deadline_ms: deadlineMs }, 'still busy after the deadline: exiting all the same');
      process.exit(EXIT.failure);
    },
    leaveMs + deadlineMs + GRACE_MS,
  );
  const isClean = await runtime.stop({ leaveMs, deadlineMs }).then(
    () => true,
    (error: unknown) => {
      log.error({ err: error }, 'stopping failed: what was under way will be taken up elsewhere');
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
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!controller.signal.aborted) {
        controller.abort(signal);
        return;
      }
      log.warn({ signal }, 'asked to stop again: exiting at once');
      process.exit(SIGNAL_CODES[signal]);
    });
  }
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
