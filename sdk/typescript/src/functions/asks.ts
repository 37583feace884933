import type { Entry, EntryKind, Wait } from './journal.ts';
import type { Scope } from './scope.ts';

export interface Asked {
  readonly identity: string;
  readonly kind: EntryKind;
  readonly scope: Scope;
  /** The wait to open while no entry is recorded. */
  readonly wait?: () => Wait;
}

export interface Ask extends Asked {
  readonly deliver: (entry: Entry) => void;
  readonly reject: (error: Error) => void;
}

export interface Task {
  readonly scope: Scope;
  readonly start: () => Promise<void>;
}

/** The waits of what nobody has given up. */
export function waitsOf(asks: Iterable<Ask>): readonly Wait[] {
  return [...asks]
    .filter(({ scope }) => !scope.isAbandoned)
    .flatMap(({ wait }) => (wait === undefined ? [] : [wait()]));
}
