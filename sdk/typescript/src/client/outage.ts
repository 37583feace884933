import { asError, sleep, type Environment } from './environment.ts';
import { isOutage } from './retry.ts';

/** Somebody who waits for long stays through an outage of this length, such as a restart. */
const OUTAGE_MS_MAX = 60_000;
const DELAY_MS = { min: 100, max: 5_000 };

/** Carries a long wait over an outage of the service. */
export interface Outage {
  /** The service has answered. */
  over(): void;
  /** It has answered as it should: the next rest is a short one. */
  recovered(): void;
  /** Waits before the next attempt; throws the error where it is no outage, or one for too long. */
  endure(error: unknown): Promise<void>;
  /** Waits before the next attempt: the service has answered, but sooner than it was to. */
  rest(): Promise<void>;
}

export function createOutage(environment: Environment, signal: AbortSignal | null): Outage {
  let since: number | null = null;
  let delayMs = DELAY_MS.min;

  async function rest(): Promise<void> {
    const waitMs = environment.random() * delayMs;
    delayMs = Math.min(delayMs * 2, DELAY_MS.max);
    await sleep(environment, waitMs, signal);
  }

  return {
    over: () => {
      since = null;
    },
    recovered: () => {
      since = null;
      delayMs = DELAY_MS.min;
    },
    endure: async (error) => {
      since ??= environment.now();
      const isTooLong = environment.now() - since > OUTAGE_MS_MAX;
      if (!isOutage(error) || isTooLong) throw asError(error);
      await rest();
    },
    rest,
  };
}
