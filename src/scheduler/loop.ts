import type { RoundResult } from '../shared/engine/scheduling/round-result.ts';
import type { Timers } from '../shared/engine/scheduling/timers.ts';

/**
 * A background loop: run a round, continue at once when there is more, or else wait for the time or
 * for a hint.
 *
 * - A round with a budget names the rest that it needs before the next one.
 * - While rounds find nothing, the rest doubles from `min` to `max`, and on to `quietMax` while the
 *   whole process is quiet. A round that finds something starts over at `min`.
 * - A hint cuts a rest short; one that comes during a round makes the next round follow at once.
 *   Hints that lead to nothing are kept `EMPTY_GAP_MS` apart, so that a storm of them (every commit
 *   sends one) cannot turn into a storm of statements.
 * - An error never ends a loop. Rounds that fail are followed by a back-off up to `errorMsMax`,
 *   which hints do not cut short: they would hammer a database that is down.
 * - Rests are spread by ±20 %, so that processes started together drift apart.
 */
export function startLoop(options: LoopOptions): Loop {
  const { timers, restMs } = options;
  const stopping = new AbortController();
  const startedAt = timers.now();
  let lastSuccessAt: number | null = null;
  let failures = 0;
  let restingMs = restMs.min;
  let hinted = false;
  let endRest: (() => void) | null = null;

  function wake(): void {
    hinted = true;
    endRest?.();
  }

  async function turn(): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = hinted;
      hinted = false;
      const outcome = await runRound(woken);
      if (outcome === null) await pause({ ms: backOffMs(), hintsEnd: false });
      else await restAfter(outcome);
    }
  }

  /** Null: the round failed. */
  async function runRound(woken: boolean): Promise<LoopOutcome | null> {
    const begun = timers.now();
    const seconds = () => (timers.now() - begun) / 1000;
    try {
      const outcome = await options.run({ signal: stopping.signal, woken });
      failures = 0;
      lastSuccessAt = timers.now();
      options.onRound?.({ ok: true, found: outcome.found, seconds: seconds() });
      return outcome;
    } catch (error) {
      failures++;
      options.onRound?.({ ok: false, found: 0, seconds: seconds(), error, failures });
      return null;
    }
  }

  async function restAfter(outcome: LoopOutcome): Promise<void> {
    const { found, more, restMs: exactMs, restMsMin = 0, restMsMax } = outcome;
    if (found > 0) {
      restingMs = restMs.min;
      // Others get a turn: a store without I/O would never let the event loop go round.
      if (more || hinted) return pause({ ms: restMsMin, hintsEnd: false });
    } else if (hinted) {
      return pause({ ms: EMPTY_GAP_MS, hintsEnd: false });
    }
    const ms = exactMs ?? Math.min(spread(restingMs), Math.max(restMsMax ?? Infinity, 0));
    if (found === 0) restingMs = Math.min(restingMs * 2, longestRest());
    await pause({ ms, hintsEnd: true });
  }

  function longestRest(): number {
    const isQuiet = options.isQuiet?.() ?? false;
    return isQuiet ? (restMs.quietMax ?? restMs.max) : restMs.max;
  }

  function backOffMs(): number {
    const longest = options.errorMsMax ?? ERROR_MS_MAX;
    return spread(Math.min(ERROR_MS_MIN * 2 ** Math.min(failures - 1, 20), longest));
  }

  function spread(ms: number): number {
    return ms * (0.8 + 0.4 * options.random());
  }

  function pause(given: { readonly ms: number; readonly hintsEnd: boolean }): Promise<void> {
    if (stopping.signal.aborted || (given.hintsEnd && hinted)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        endRest = null;
        cancel();
        stopping.signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = timers.after(given.ms, end);
      stopping.signal.addEventListener('abort', end);
      if (given.hintsEnd) endRest = end;
    });
  }

  const ended = turn();
  const unsubscribe = options.wakeOn?.(wake);

  return {
    name: options.name,
    wake,
    health() {
      const silentMs = timers.now() - (lastSuccessAt ?? startedAt);
      return { name: options.name, lastSuccessAt, silentMs, failures };
    },
    stop() {
      unsubscribe?.();
      stopping.abort();
      return ended;
    },
  };
}

export interface LoopOptions {
  readonly name: string;
  readonly run: (round: LoopRound) => Promise<LoopOutcome>;
  readonly restMs: RestBounds;
  /** Longest back-off after errors; 5 s when not given. */
  readonly errorMsMax?: number;
  /** Subscribes `wake` to hints and returns how to end that. */
  readonly wakeOn?: (wake: () => void) => () => void;
  /** Nothing has happened in this process for a while. */
  readonly isQuiet?: () => boolean;
  readonly random: () => number;
  readonly timers: Timers;
  readonly onRound?: (report: RoundReport) => void;
}

export interface RestBounds {
  readonly min: number;
  readonly max: number;
  /** Rests grow up to here while the process is quiet; `max` when not given. */
  readonly quietMax?: number;
}

export interface LoopRound {
  /** Aborted when the loop is to stop. */
  readonly signal: AbortSignal;
  /** A hint came; false: the rest was over. */
  readonly woken: boolean;
}

export interface LoopOutcome extends RoundResult {
  /** The next round comes no earlier, even if there is more: the loop has a budget. */
  readonly restMsMin?: number;
  /** The round knows how long there will be nothing to do without a hint. */
  readonly restMs?: number;
  /** The round knows that there will be something to do by then. */
  readonly restMsMax?: number;
}

export type RoundReport = { readonly found: number; readonly seconds: number } & (
  { readonly ok: true } | { readonly ok: false; readonly error: unknown; readonly failures: number }
);

export interface Loop {
  readonly name: string;
  wake(): void;
  health(): LoopHealth;
  /** No further round begins; resolves when the present one is over. */
  stop(): Promise<void>;
}

export interface LoopHealth {
  readonly name: string;
  readonly lastSuccessAt: number | null;
  /** Since the last success, or since the start when there was none. */
  readonly silentMs: number;
  /** Rounds failed in a row. */
  readonly failures: number;
}

/** The result of a round that had nothing to look for. */
export const NOTHING: LoopOutcome = { found: 0, more: false };

const EMPTY_GAP_MS = 5;
const ERROR_MS_MIN = 100;
const ERROR_MS_MAX = 5000;
