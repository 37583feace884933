/** An expected failure of one evaluation. Its message names kinds of values, never values. */
export class EvaluationFailure extends Error {}

const CHARACTERS_PER_STEP = 256;
const ELEMENTS_PER_STEP = 16;
const KEYS_PER_STEP = 4;

let stepsSpent = 0;

/** What all evaluations have taken so far: the difference of two readings is what lies between. */
export function readStepsSpent(): number {
  return stepsSpent;
}

/**
 * Bounds the work of one evaluation, so that a hostile expression over a large state cannot hold
 * the event loop. A step is one node evaluated or one value compared. Operations the JavaScript
 * engine does in bulk are charged by the characters, elements or keys they touch; those that make
 * something larger than what they are given are charged before they are done.
 */
export class StepBudget {
  readonly #stepsMax: number;
  /** Of all the evaluations that this one is a part of. */
  readonly #whole: StepBudget | null;
  #stepsUsed = 0;

  constructor(stepsMax: number, whole: StepBudget | null = null) {
    this.#stepsMax = stepsMax;
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
    if (this.#whole === null) stepsSpent += steps;
    else this.#whole.#charge(steps);
    this.#stepsUsed += steps;
    if (this.#stepsUsed > this.#stepsMax) {
      throw new EvaluationFailure(`more than ${this.#stepsMax} steps of work`);
    }
  }
}
