import type { Answer, Deed } from '../../invariants/history.ts';
import type { Operation, Record } from '../types.ts';

/** Writes down what clients do. */
export interface Book {
  begin(deed: Pick<Deed, 'client' | 'tenantId' | 'asks'>): Entry;
}

/** Ends in one of these ways, and only once. */
interface Entry {
  answer(answer: Answer): Answer;
  /** No answer will come. */
  giveUp(trouble: string): void;
}

export function openBook(params: { readonly now: () => number; readonly record: Record }): Book {
  const { now, record } = params;
  return {
    begin: (deed) => {
      const begun: Pick<Operation, 'begun' | 'beganAtMs'> = { begun: next(), beganAtMs: now() };
      return {
        answer: (answer) => {
          record({ ...deed, ...begun, ended: next(), endedAtMs: now(), answer });
          return answer;
        },
        giveUp: (trouble) =>
          record({ ...deed, ...begun, ended: null, endedAtMs: now(), answer: null, trouble }),
      };
    },
  };
}

/** One order of all beginnings and ends, whichever book they stand in. */
let place = 0;

function next(): number {
  place += 1;
  return place;
}
