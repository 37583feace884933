import { send } from '../http/lean-fetch.ts';

/** The outside world of the client, which tests replace. */
export interface Environment {
  readonly fetch: typeof fetch;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Calls `action` after `ms`; the function it returns prevents that. */
  readonly after: (ms: number, action: () => void) => () => void;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly uuid: () => string;
}

export function systemEnvironment(given: Partial<Environment>): Environment {
  return {
    fetch: send,
    now: () => performance.now(),
    after: (ms, action) => {
      const timer = setTimeout(action, Math.min(ms, TIMER_MS_MAX));
      return () => clearTimeout(timer);
    },
    random: Math.random,
    uuid: () => globalThis.crypto.randomUUID(),
    ...given,
  };
}

/** Longer timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A variable of the process; undefined where there is none, as in a browser. */
export function readVariable(name: string): string | undefined {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return host.process?.env?.[name] || undefined;
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts before. */
export function sleep(
  { after }: Pick<Environment, 'after'>,
  ms: number,
  signal: AbortSignal | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(asError(signal.reason));
    const leave = () => {
      cancel();
      reject(asError(signal?.reason));
    };
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
