const BACK_OFF_MS = { min: 250, max: 5000 };

/** Resolves after `ms`, or when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Exponential back-off from 250 ms to 5 s; `chance` from 0 to 1 spreads it over its upper half. */
export function backOffMs(failures: number, chance: number): number {
  const wholeMs = Math.min(BACK_OFF_MS.min * 2 ** (failures - 1), BACK_OFF_MS.max);
  return Math.round(wholeMs * (0.5 + chance / 2));
}
