import { SvcError } from '../shared/domain/errors.ts';
import { admissionOf, type AdmitRequest } from './admit-request.ts';
import type { Caller } from './endpoint.ts';
import { objectionToCaller } from './middleware/authenticate.ts';

/** Time for the last words of an answer to a client that reads slowly, or not at all. */
const LAST_WORDS_MS_MAX = 5_000;

/**
 * A signal for an answer that takes long. It aborts when the client leaves, when the server begins
 * to close, and when the caller loses its access: a token was revoked or has expired, or a tenant
 * was archived. The signal's reason is then the error that a new request would get. A timer checks
 * the access, so a busy stream does not avoid the check, and a client that does not read the last
 * message is disconnected.
 */
export function watchCaller(params: AdmitRequest & { readonly caller: Caller }): AbortSignal {
  const { ctx, deps } = params;
  const { res } = ctx;
  const ending = new AbortController();
  const { signal } = ending;
  if (deps.draining.aborted || res.destroyed) {
    ending.abort();
    return signal;
  }
  const leave = () => ending.abort();
  const stopListening = onAbort(deps.draining, leave);
  let timer = setTimeout(() => void look(), deps.settings.callerRecheckMs);
  res.once('close', () => {
    clearTimeout(timer);
    stopListening();
    // After a complete answer nobody listens any more.
    if (!res.writableFinished) ending.abort();
  });
  return signal;

  async function look(): Promise<void> {
    const objection = await objectionToCaller({ ...admissionOf(params), caller: params.caller });
    if (signal.aborted || res.closed) return;
    if (objection === null) {
      timer = setTimeout(() => void look(), deps.settings.callerRecheckMs);
      return;
    }
    ending.abort(objection);
    timer = setTimeout(() => res.destroy(), LAST_WORDS_MS_MAX);
  }
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * One listener on a signal that every request listens to: to add and to remove one of its own is
 * cheaper in a set. Returns what removes it.
 */
function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const all = listeners.get(signal) ?? new Set();
  if (!listeners.has(signal)) {
    listeners.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((call) => call()), { once: true });
  }
  all.add(listener);
  return () => void all.delete(listener);
}

/** Why the caller would not be let in any more; null: the answer ends for another reason. */
export function refusalIn({ aborted, reason }: AbortSignal): SvcError | null {
  return aborted && reason instanceof SvcError ? reason : null;
}
