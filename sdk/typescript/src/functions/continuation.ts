import { isRecord } from '../is-record.ts';
import { NonRetryableError, requireJson } from '../worker/errors.ts';
import { ContinueAsNewError } from './errors.ts';
import type { TurnEnd } from './turn-end.ts';

/*
 * `ctx.continueAsNew` throws a signal that ends the function. Code that catches the signal would work
 * in a visit that it has asked to end, so the turn fails permanently instead.
 */

class ContinueAsNewSignal extends Error {
  override readonly name = 'ContinueAsNewSignal';
  readonly input: Readonly<Record<string, unknown>>;

  constructor(input: Readonly<Record<string, unknown>>) {
    super('The function continues as new. Do not catch this signal.');
    this.input = input;
  }
}

/** Whether the code of a turn has asked to continue, and whether it has ended there. */
export class Continuation {
  #hasBegun = false;
  #isIgnored = false;

  /** Makes the signal to throw. It keeps `input` as it is now. */
  begin(input: unknown, { isAbandoned }: { readonly isAbandoned: boolean }): Error {
    const signal = new ContinueAsNewSignal(copyObject(input));
    // Nobody awaits a branch that has lost its race.
    if (!isAbandoned) this.#hasBegun = true;
    return signal;
  }

  /** The code uses its context. */
  noteUse(): void {
    this.#isIgnored = this.#hasBegun;
  }

  /** Null unless the code has used its context since the signal. */
  get ignored(): TurnEnd | null {
    return this.#isIgnored ? caught() : null;
  }

  /** The end of the turn, when the code ends so. */
  judge(end: TurnEnd): TurnEnd {
    if (end.kind === 'threw' && end.error instanceof ContinueAsNewSignal) {
      return { kind: 'continued', input: end.error.input };
    }
    return this.#hasBegun ? caught() : end;
  }
}

function caught(): TurnEnd {
  const message =
    'The code caught the signal of ctx.continueAsNew(), so the function did not end there. ' +
    'Write `return ctx.continueAsNew(input)` outside of try blocks, or throw the signal again.';
  return { kind: 'threw', error: new ContinueAsNewError(message) };
}

function copyObject(input: unknown): Readonly<Record<string, unknown>> {
  const what = 'The input of ctx.continueAsNew()';
  const copy = isRecord(input) ? requireJson(input, { name: 'input', what }) : null;
  if (isRecord(copy)) return copy;
  throw new NonRetryableError(
    'ctx.continueAsNew() takes a JSON object: the input of the next visit',
  );
}
