import type { Course } from './drive.ts';
import type { Findings } from './inspect.ts';

export interface Violation {
  /** The same seed gives the same execution. */
  readonly seed: number;
  readonly executionId: string | null;
  readonly saw: readonly string[];
}

export interface Tallied {
  /** Executions that were started and checked, without children. */
  readonly runs: number;
  /** The number of executions by status. */
  readonly ends: Readonly<Record<string, number>>;
  readonly children: number;
  readonly suspensions: number;
  /** Visits that continued as new. */
  readonly continuations: number;
  /** Attempts lost to kills and lapsed leases. */
  readonly attemptsLost: number;
  /** Runs that lost at least one attempt. */
  readonly runsHit: number;
}

/** Sums up the findings of the runs. */
export class Tally {
  readonly violations: Violation[] = [];
  readonly #onViolation: (violation: Violation) => void;
  readonly #ends = new Map<string, number>();
  #sums = { runs: 0, children: 0, suspensions: 0, continuations: 0, attemptsLost: 0, runsHit: 0 };

  constructor(onViolation: (violation: Violation) => void) {
    this.#onViolation = onViolation;
  }

  add(run: { readonly seed: number; readonly course: Course; readonly findings: Findings }): void {
    const { seed, course, findings } = run;
    const { problems: saw, attemptsLost } = findings;
    const how = course.end?.status ?? 'not ended';
    this.#ends.set(how, (this.#ends.get(how) ?? 0) + 1);
    this.#sums = {
      runs: this.#sums.runs + 1,
      children: this.#sums.children + findings.children,
      suspensions: this.#sums.suspensions + findings.suspensions,
      continuations: this.#sums.continuations + findings.continuations,
      attemptsLost: this.#sums.attemptsLost + attemptsLost,
      runsHit: this.#sums.runsHit + (attemptsLost > 0 ? 1 : 0),
    };
    if (saw.length > 0) this.violate({ seed, executionId: course.executionId, saw });
  }

  violate(violation: Violation): void {
    this.violations.push(violation);
    this.#onViolation(violation);
  }

  result(): Tallied {
    return { ...this.#sums, ends: Object.fromEntries(this.#ends) };
  }

  say(runs: number): string {
    return `${this.#sums.runs} of ${runs} runs, ${this.violations.length} violations`;
  }
}
