import type { ScorerResult } from './scorer.ts';

/** The counted values of a case. Null: not known. */
export interface CountedCase {
  readonly passed: boolean;
  readonly score: number;
  /** Set when there was no output to judge: the case counts as failed, with a score of 0. */
  readonly error: string | null;
  readonly durationMs: number | null;
  /** How long its start waited for a place; null: it did not wait. */
  readonly waitedMs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly scorers: readonly ScorerResult[];
}

/** Reports show it unchanged. */
export type EvalSummary = {
  readonly cases: number;
  readonly passed: number;
  readonly failed: number;
  /** The number of failed cases without an output to judge. */
  readonly errors: number;
  readonly pass_rate: number;
  readonly mean_score: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  /** Cases whose start waited for a place. */
  readonly waited: number;
  /** The longest of these waits; null: no case waited. */
  readonly longest_wait_ms: number | null;
  /** Null: not known of every case. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly scorers: Readonly<
    Record<string, { readonly pass_rate: number; readonly mean_score: number }>
  >;
};

/** Counts cases one by one, and keeps of each nothing but its duration. */
export class CaseTally {
  readonly #durations: number[] = [];
  readonly #scorers = new Map<string, { judged: number; passed: number; points: number }>();
  #cases = 0;
  #passed = 0;
  #errors = 0;
  #waited = 0;
  #longestWaitMs: number | null = null;
  #points = 0;
  #tokens: number | null = 0;
  #costUsd: number | null = 0;

  get cases(): number {
    return this.#cases;
  }

  get passed(): number {
    return this.#passed;
  }

  add(one: CountedCase): void {
    this.#cases += 1;
    this.#points += one.score;
    if (one.passed) this.#passed += 1;
    if (one.error !== null) this.#errors += 1;
    // Failing fast is no speed.
    else if (one.durationMs !== null) this.#durations.push(one.durationMs);
    if (one.waitedMs !== null) {
      this.#waited += 1;
      this.#longestWaitMs = Math.max(this.#longestWaitMs ?? 0, one.waitedMs);
    }
    this.#tokens = addKnown(this.#tokens, one.tokens);
    this.#costUsd = addKnown(this.#costUsd, one.costUsd);
    for (const { name, passed, score } of one.scorers) {
      const counts = this.#scorers.get(name) ?? { judged: 0, passed: 0, points: 0 };
      counts.judged += 1;
      counts.points += score;
      if (passed) counts.passed += 1;
      this.#scorers.set(name, counts);
    }
  }

  summary(): EvalSummary {
    const sorted = this.#durations.toSorted((one, other) => one - other);
    return {
      cases: this.#cases,
      passed: this.#passed,
      failed: this.#cases - this.#passed,
      errors: this.#errors,
      pass_rate: share(this.#passed, this.#cases),
      mean_score: share(this.#points, this.#cases),
      p50_ms: percentile(sorted, 0.5),
      p95_ms: percentile(sorted, 0.95),
      waited: this.#waited,
      longest_wait_ms: this.#longestWaitMs,
      tokens: this.#tokens,
      cost_usd: this.#costUsd === null ? null : round(this.#costUsd),
      scorers: Object.fromEntries(
        [...this.#scorers].map(([name, { judged, passed, points }]) => [
          name,
          { pass_rate: share(passed, judged), mean_score: share(points, judged) },
        ]),
      ),
    };
  }
}

/** By nearest rank: always one of the values, so a single slow case shows as it was. */
function percentile(sorted: readonly number[], part: number): number | null {
  const value = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  return value === undefined ? null : round(value);
}

/** A sum with a part that is not known would pass for less than it is. */
function addKnown(sum: number | null, part: number | null): number | null {
  return sum === null || part === null ? null : sum + part;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : round(part / whole);
}

function round(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
