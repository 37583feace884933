import type { Entry, ExceededBudget, Journal, Wait } from '../functions/journal.ts';
import { LeaseLostError } from './errors.ts';
import { isRecord } from '../is-record.ts';
import { refusal } from './refusal.ts';
import { reasonIn, sendUntilAnswered, type Answer, type Api } from './send.ts';
import {
  isConflict,
  isInvalid,
  isOver,
  recordEach,
  type Held,
  type Riding,
} from './settle-item.ts';

/*
 * The journal over HTTP. Each request names the length that the journal has, so a request that arrived
 * twice appends once. A suspend whose answer is lost is looked up: if the lease is over, it arrived.
 */

/** The runtime refuses the entries: too many, too large, or in conflict with the journal. */
export class JournalRefusedError extends Error {
  override readonly name = 'JournalRefusedError';
  /** Sent again, they would be refused again. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

export interface HttpJournal extends Journal {
  /** For the request that ends the item. */
  riding(entries: readonly Entry[]): Riding;
}

const PAGE_ENTRIES = 200;

/** Reads the whole journal of an item. Rejects with LeaseLostError when the lease is over. */
export async function openJournal(held: Held): Promise<HttpJournal> {
  const entries = await readEntries(held);
  let length = entries.length;
  const riding = (own: readonly Entry[]) => ({ expected_length: length, entries: own });
  return {
    entries,
    riding,
    async record(own) {
      const answer = await post(held, 'steps', riding(own));
      if (answer.status !== 200) throw await refuse(answer, own);
      length += own.length;
      return exceededIn(answer);
    },
    async suspend(own, waits) {
      const answer = await post(held, 'suspend', { ...riding(own), waits });
      const recorded = length + own.length;
      if (answer.status !== 200) {
        if (!answer.afterUnknown || !isOver(answer)) throw await refuse(answer, own);
        return lookUp(held, { from: recorded });
      }
      if (answer.body['suspended'] === true) return null;
      const given = entriesIn(answer);
      length = recorded + given.length;
      return given;
    },
  };

  /** Records the entries that the runtime accepts, because they have happened. */
  async function refuse(answer: Answer, own: readonly Entry[]): Promise<Error> {
    const each = isInvalid(answer) ? await recordEach(held, riding(own)) : null;
    return each === null ? refused(answer, held.api) : new JournalRefusedError(each, true);
  }

  /** Finds the outcome of a suspend; null when the lease ended with it. */
  async function lookUp(of: Held, { from }: { from: number }): Promise<readonly Entry[] | null> {
    const rest = await readFrom(of, from);
    if (rest === null) return null;
    if (rest.length === 0) throw new JournalRefusedError('the journal did not grow', false);
    length = from + rest.length;
    return rest;
  }
}

async function readEntries(held: Held): Promise<readonly Entry[]> {
  const { journal } = held.item;
  if (journal === undefined) return [];
  if (journal.next === null) return journal.entries;
  const rest = await readFrom(held, journal.next);
  if (rest === null) throw new LeaseLostError('the lease ended while the journal was read');
  return [...journal.entries, ...rest];
}

/** Null when the lease is over. */
async function readFrom(held: Held, from: number): Promise<readonly Entry[] | null> {
  const { api, item, lost } = held;
  const entries: Entry[] = [];
  for (let next: number | null = from; next !== null;) {
    const query = `from=${next}&limit=${PAGE_ENTRIES}&lease_fence=${item.lease_fence}`;
    const path = `/work-items/${item.id}/journal?${query}`;
    const answer = await sendUntilAnswered(api, { method: 'GET', path, signal: lost });
    if (answer === null || isOver(answer)) return null;
    if (answer.status !== 200) throw refusal(answer, api);
    entries.push(...entriesIn(answer));
    next = typeof answer.body['next'] === 'number' ? answer.body['next'] : null;
  }
  return entries;
}

function entriesIn(answer: Answer): readonly Entry[] {
  const { entries } = answer.body;
  return Array.isArray(entries) ? entries.filter(isEntry) : [];
}

function exceededIn({ body }: Answer): ExceededBudget | null {
  const { budget_exceeded: told } = body;
  return isExceeded(told) ? told : null;
}

function isExceeded(value: unknown): value is ExceededBudget {
  return isRecord(value) && (value['action'] === 'fail' || value['action'] === 'pause');
}

function isEntry(value: unknown): value is Entry {
  return isRecord(value) && typeof value['identity'] === 'string';
}

async function post(
  held: Held,
  kind: 'steps' | 'suspend',
  body: Riding & { readonly waits?: readonly Wait[] },
): Promise<Answer> {
  const { reports, item, lost } = held;
  const members = { lease_fence: item.lease_fence, ...body };
  const answer = await reports.sendUntilAnswered({ kind, itemId: item.id, members }, lost);
  if (answer === null) throw new LeaseLostError('the lease is lost');
  return answer;
}

function refused(answer: Answer, api: Api): Error {
  if (answer.status === 401 || answer.status === 403) return refusal(answer, api);
  const message = `the journal does not take the entries: ${reasonIn(answer)}`;
  if (isConflict(answer)) return new JournalRefusedError(message, false);
  if (isOver(answer)) return new LeaseLostError(reasonIn(answer));
  return new JournalRefusedError(message, true);
}
