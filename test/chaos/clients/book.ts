import type { Answer, Deed } from '../../invariants/history.ts';
import type { Operation, Record } from '../types.ts';

/** Records the operations of clients. */
export interface Book {
  begin(deed: Pick<Deed, 'client' | 'tenantId' | 'asks'>): Entry;
}

/** An operation ends in one of these ways, and only once. */
interface Entry {
  answer(answer: Answer, told?: Pick<Operation, 'retryAfter'>): Answer;
  /** The answer will not come. */
  giveUp(trouble: string): void;
}

export function openBook(params: { readonly now: () => number; readonly record: Record }): Book {
  const { now, record } = params;
  return {
    begin: (deed) => {
      const begun: Pick<Operation, 'begun' | 'beganAtMs'> = { begun: next(), beganAtMs: now() };
      return {
        answer: (answer, told = {}) => {
          record({ ...deed, ...begun, ...told, ended: next(), endedAtMs: now(), answer });
          return answer;
        },
        giveUp: (trouble) =>
          record({ ...deed, ...begun, ended: null, endedAtMs: now(), answer: null, trouble }),
      };
    },
  };
}

/** Orders all starts and ends across all books. */
let place = 0;

function next(): number {
  place += 1;
  return place;
}
