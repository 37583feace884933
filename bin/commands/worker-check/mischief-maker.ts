import type { CallKind, Mischief, MischiefAction } from './case-file.ts';

interface Prepared {
  readonly of: Mischief;
  /** How many calls it still applies to. */
  left: number;
  /** When the first call came that it is meant for; milliseconds as `performance.now()`. */
  firstAt: number | null;
}

/** Gives each call the mischief that the case has for it. */
export class MischiefMaker {
  readonly #all: readonly Prepared[];

  constructor(all: readonly Mischief[]) {
    this.#all = all.map((of) => ({ of, left: of.first ?? Infinity, firstAt: null }));
  }

  /**
   * Null: the call is served. A claim takes it twice: as it comes, without items, and with those that
   * it gets. `now` is milliseconds as `performance.now()`.
   */
  take(kind: CallKind, items: readonly string[], now: number): MischiefAction | null {
    const meant = this.#all.filter(({ of }) => isMeantFor(of, kind, items));
    for (const prepared of meant) prepared.firstAt ??= now;
    const found = meant.find(({ of: { for_ms: forMs = Infinity }, left, firstAt }) => {
      return left > 0 && now - (firstAt ?? now) <= forMs;
    });
    if (found === undefined) return null;
    found.left -= 1;
    return found.of.do;
  }
}

function isMeantFor({ on }: Mischief, kind: CallKind, items: readonly string[]): boolean {
  if (on.kind !== kind) return false;
  if (on.item !== undefined) return items.includes(on.item);
  return kind !== 'claim' || items.length === 0;
}
