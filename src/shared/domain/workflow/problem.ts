/** Something wrong with a workflow definition, and where: `pointer` is a JSON pointer (RFC 6901) from the IR's root. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

const LISTED_MAX = 100;

/** Collects problems. Lists the first hundred and counts the rest, so that an answer stays readable. */
export class ProblemList {
  readonly #listed: Problem[] = [];
  #count = 0;

  add(pointer: string, message: string): void {
    this.#count += 1;
    if (this.#listed.length < LISTED_MAX) this.#listed.push({ pointer, message });
  }

  get count(): number {
    return this.#count;
  }

  toArray(): readonly Problem[] {
    const left = this.#count - this.#listed.length;
    if (left === 0) return [...this.#listed];
    return [...this.#listed, { pointer: '', message: `${left} more of the like` }];
  }
}

/** The JSON pointer of these reference tokens: `pointerTo('nodes', 'a/b')` is `/nodes/a~1b`. */
export function pointerTo(...tokens: readonly (string | number)[]): string {
  return tokens
    .map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Problems refuse the definition; warnings only go with the answer. */
export interface Findings {
  readonly problems: ProblemList;
  readonly warnings: ProblemList;
}
