import { AsyncLocalStorage } from 'node:async_hooks';

import { linkAbort } from '../link-abort.ts';

/*
 * Where the code is: the function itself, or a branch of `ctx.all`, `ctx.race` or `ctx.map`. Each
 * branch counts the names within it, so that the order in which branches run changes no identity.
 * The scope follows the code through its awaits, so that a branch may use the `ctx` of the function.
 */

export class Scope {
  /** Begins each identity: empty, or as `map[3]/`. */
  readonly prefix: string;
  readonly #counts = new Map<string, number>();
  readonly #abandoned = new AbortController();
  /** Aborts when the branch lost a race. */
  readonly signal: AbortSignal;

  constructor(prefix: string, parent: Scope | null) {
    this.prefix = prefix;
    this.signal =
      parent === null
        ? this.#abandoned.signal
        : linkAbort([parent.signal, this.#abandoned.signal]).signal;
  }

  /** The name and its occurrence: `charge`, then `charge#2`. */
  identify(name: string): string {
    const occurrence = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, occurrence);
    return `${this.prefix}${name}${occurrence === 1 ? '' : `#${occurrence}`}`;
  }

  branch(identity: string, index: number): Scope {
    return new Scope(`${identity}[${index}]/`, this);
  }

  /** Nothing new begins in the branch, and its steps are asked to stop. */
  abandon(): void {
    this.#abandoned.abort(new Error('another branch won the race'));
  }

  get isAbandoned(): boolean {
    return this.signal.aborted;
  }
}

/** The scope of the code that runs, and the step that it runs in. */
interface Place {
  readonly scope: Scope;
  readonly step: string | null;
}

export const places = new AsyncLocalStorage<Place>();

/** @throws TypeError for a name that could be taken for an identity */
export function checkName(name: string): void {
  if (name.length === 0 || name.length > 200 || /[#/[\]\p{Cc}]/u.test(name)) {
    throw new TypeError(
      `A name has 1 to 200 characters without "#", "/", "[" and "]": ${JSON.stringify(name)}`,
    );
  }
}
