import type { JsonObject } from '../json.ts';
import { nearestName } from '../nearest-name.ts';
import { quoteId } from './quote-id.ts';

/** Something wrong with a workflow definition, and where: `pointer` is a JSON pointer (RFC 6901) from the IR's root. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

/** Something that a definition can run with, and that its author probably did not mean. */
export interface Warning extends Problem {
  readonly code: WarningCode;
}

export type WarningCode =
  /** A name that nothing reads. */
  | 'unknown_field'
  /** A path that the state schema does not declare and no node writes. */
  | 'unknown_state_path'
  | 'unreachable_node'
  /** An edge or a branch that is never taken. */
  | 'never_taken'
  /** A field that does nothing where it stands. */
  | 'without_effect'
  /** A reference to something outside that is kept and not resolved. */
  | 'not_resolved'
  /** The server must come from the operator's configuration. */
  | 'unknown_server'
  /** Some providers refuse it. */
  | 'not_portable'
  /** A secret that is not set, or that may not be named. */
  | 'secret_not_available'
  | 'more_warnings';

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

/** The same for warnings. */
export class WarningList {
  readonly #listed: Warning[] = [];
  #count = 0;

  add(code: WarningCode, pointer: string, message: string): void {
    this.#count += 1;
    if (!this.isFull) this.#listed.push({ code, pointer, message });
  }

  /** From here on warnings are counted and not listed, so their texts are not worth any work. */
  get isFull(): boolean {
    return this.#listed.length >= LISTED_MAX;
  }

  toArray(): readonly Warning[] {
    const left = this.#count - this.#listed.length;
    if (left === 0) return [...this.#listed];
    const message = `${left} more warnings`;
    return [...this.#listed, { code: 'more_warnings', pointer: '', message }];
  }
}

/** The JSON pointer of these reference tokens: `pointerTo('nodes', 'a/b')` is `/nodes/a~1b`. */
export function pointerTo(...tokens: readonly (string | number)[]): string {
  return tokens
    .map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Reports members that a rule does not have, each with the name that was probably meant, or all names. */
export function reportUnknown(
  rule: JsonObject,
  known: ReadonlySet<string>,
  problem: (pointer: string, message: string) => void,
): void {
  for (const name of Object.keys(rule)) {
    if (known.has(name)) continue;
    const nearest = nearestName(name, known);
    const hint =
      nearest === null ? `use ${[...known].join(', ')}` : `did you mean ${quoteId(nearest)}?`;
    problem(pointerTo(name), `is not known: ${hint}`);
  }
}

/** Problems refuse the definition; warnings only go with the answer. */
export interface Findings {
  readonly problems: ProblemList;
  readonly warnings: WarningList;
}
