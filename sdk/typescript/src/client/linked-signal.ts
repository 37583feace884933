import { linkAbort } from '../link-abort.ts';
import type { Environment } from './environment.ts';

/** A signal of one attempt: it aborts with the caller's, and when the time is over. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** True: the time is over, and the caller's signal has not aborted. */
  readonly timedOut: () => boolean;
  /** Starts the time again. */
  readonly restart: () => void;
  readonly abort: () => void;
  /** Must be called: it takes the listener off the caller's signal. */
  readonly release: () => void;
}

export function linkSignal(params: {
  readonly environment: Pick<Environment, 'after'>;
  readonly signal: AbortSignal | null;
  readonly timeoutMs: number;
}): LinkedSignal {
  const { environment, signal, timeoutMs } = params;
  const own = new AbortController();
  const linked = linkAbort([signal ?? undefined, own.signal]);
  let isOver = false;
  const expire = () => {
    isOver = true;
    own.abort(new Error(`no answer within ${Math.round(timeoutMs)} ms`));
  };
  let cancel = environment.after(timeoutMs, expire);
  return {
    signal: linked.signal,
    timedOut: () => isOver && signal?.aborted !== true,
    restart: () => {
      cancel();
      if (!linked.signal.aborted) cancel = environment.after(timeoutMs, expire);
    },
    abort: () => own.abort(),
    release: () => {
      cancel();
      linked.unlink();
    },
  };
}
