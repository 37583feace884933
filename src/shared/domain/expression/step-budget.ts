/** An expected failure of one evaluation. Its message names kinds of values, never values. */
export class EvaluationFailure extends Error {}

const CHARACTERS_PER_STEP = 256;
const ELEMENTS_PER_STEP = 16;
const KEYS_PER_STEP = 4;

/** Counts the steps of evaluations together, for a caller that bounds more than one of them. */
export interface StepMeter {
  stepsSpent: number;
}

/** Where a scope carries its meter: no name in an expression reaches a symbol. */
export const METER: unique symbol = Symbol('meter');

/** A scope whose evaluations are counted; absent: nobody counts them. */
export interface Metered {
  readonly [METER]?: StepMeter | undefined;
}

/**
 * Bounds the work of one evaluation, so that a hostile expression over a large state cannot hold
 * the event loop. A step is one node evaluated or one value compared. Operations the JavaScript
 * engine does in bulk are charged by the characters, elements or keys they touch; those that make
 * something larger than what they are given are charged before they are done.
 */
export class StepBudget {
  readonly #stepsMax: number;
  /** The shared meter of all evaluations that this one belongs to. */
  readonly #whole: StepBudget | null;
  readonly #meter: StepMeter | undefined;
  #stepsUsed = 0;

  constructor(stepsMax: number, { [METER]: meter }: Metered, whole: StepBudget | null = null) {
    this.#stepsMax = stepsMax;
    this.#meter = meter;
    this.#whole = whole;
  }

  step(): void {
    this.#charge(1);
  }

  characters(count: number): void {
    this.#charge(count / CHARACTERS_PER_STEP);
  }

  elements(count: number): void {
    this.#charge(count / ELEMENTS_PER_STEP);
  }

  keys(count: number): void {
    this.#charge(count / KEYS_PER_STEP);
  }

  /** Substring search is quadratic in the worst case, so it is charged by both lengths. */
  search(text: string, pattern: string): void {
    this.characters(text.length * (1 + pattern.length / CHARACTERS_PER_STEP));
  }

  #charge(steps: number): void {
    if (this.#whole !== null) this.#whole.#charge(steps);
    else if (this.#meter !== undefined) this.#meter.stepsSpent += steps;
    this.#stepsUsed += steps;
    if (this.#stepsUsed > this.#stepsMax) {
      throw new EvaluationFailure(`more than ${this.#stepsMax} steps of work`);
    }
  }
}
