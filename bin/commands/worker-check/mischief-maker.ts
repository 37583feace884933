import type { CallKind, Mischief, MischiefAction } from './case-file.ts';

/** Gives each call the mischief that the case has for it. */
export class MischiefMaker {
  readonly #left: { readonly of: Mischief; count: number }[];
  /** When the first call came; milliseconds as `performance.now()`. */
  #beganAt: number | null = null;

  constructor(all: readonly Mischief[]) {
    this.#left = all.map((of) => ({ of, count: of.first ?? Infinity }));
  }

  /**
   * Null: the call is served. A claim takes it twice: as it comes, without items, and with those that
   * it gets.
   */
  take(kind: CallKind, items: readonly string[]): MischiefAction | null {
    this.#beganAt ??= performance.now();
    const passedMs = performance.now() - this.#beganAt;
    const found = this.#left.find(({ of: { on, for_ms: forMs = Infinity }, count }) => {
      if (count === 0 || passedMs > forMs || on.kind !== kind) return false;
      if (on.item !== undefined) return items.includes(on.item);
      return kind !== 'claim' || items.length === 0;
    });
    if (found === undefined) return null;
    found.count -= 1;
    return found.of.do;
  }
}
