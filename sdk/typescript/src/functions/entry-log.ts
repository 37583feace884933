import { FunctionLimitError, NonDeterminismError } from './errors.ts';
import {
  ENTRIES_AT_ONCE_MAX,
  ENTRIES_MAX,
  type Entry,
  type EntryKind,
  type ExceededBudget,
  type Journal,
} from './journal.ts';

/** An entry and how far it is. */
export interface Slot {
  readonly entry: Entry;
  /** Recorded before the code asked: by an earlier turn, or by the runtime. */
  readonly isGiven: boolean;
  /** The code may see it before it is recorded. */
  readonly isEager: boolean;
  /** Lost, it would come out the same. */
  readonly isDerived: boolean;
  isRecorded: boolean;
  isAsked: boolean;
}

/** Answered in the call itself: nobody awaits these. */
const ANSWERED_AT_ONCE: ReadonlySet<EntryKind> = new Set([
  'value',
  'version',
  'labels',
  'on_rollback',
  'rollback',
]);

/**
 * The journal as the turn sees it: recorded entries, and behind them the new ones in the order in which
 * they will be recorded. The code gets its results in this order, live and in a replay: that makes the
 * winner of a race, and every other order of events, the same in each turn.
 */
export class EntryLog {
  readonly #journal: Journal;
  readonly #slots: Slot[] = [];
  readonly #byIdentity = new Map<string, Slot>();
  readonly #asked = new Set<string>();
  /** The next slot to give to the code. */
  #cursor = 0;
  /** Behind the last given slot. */
  #givenEnd = 0;
  #recordedEnd = 0;
  #flushing: Promise<void> | null = null;
  #exceeded: ExceededBudget | null = null;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#give(journal.entries);
  }

  /** Whether the code still goes over what earlier turns did. */
  get isReplaying(): boolean {
    this.#pass();
    return this.#cursor < this.#givenEnd;
  }

  /** The entry that comes next in order; null when the code has seen all. */
  get next(): Slot | null {
    this.#pass();
    return this.#slots[this.#cursor] ?? null;
  }

  /** The budget that recorded usage exceeded in this turn; null: none. */
  get exceeded(): ExceededBudget | null {
    return this.#exceeded;
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  get unrecorded(): readonly Entry[] {
    return this.#slots.slice(this.#recordedEnd).map(({ entry }) => entry);
  }

  /** Gives `next` away. */
  takeNext(): void {
    this.#cursor += 1;
  }

  has(identity: string): boolean {
    return this.#byIdentity.has(identity);
  }

  /**
   * Finds what the code asks for; null when nothing is recorded under the identity.
   * @throws NonDeterminismError when something of another kind is
   */
  ask(identity: string, kind: EntryKind): Entry | null {
    this.#asked.add(identity);
    const slot = this.#byIdentity.get(identity);
    if (slot === undefined) return null;
    if (slot.entry.kind !== kind) {
      throw new NonDeterminismError({
        recorded: quote(slot.entry),
        asked: quote({ identity, kind }),
      });
    }
    slot.isAsked = true;
    return slot.entry;
  }

  /** @throws FunctionLimitError when the journal is full */
  append(entry: Entry, how: { readonly isEager: boolean; readonly isDerived?: boolean }): void {
    if (this.#slots.length >= ENTRIES_MAX) {
      throw new FunctionLimitError(
        `a visit of a function has at most ${ENTRIES_MAX} entries; ` +
          'call ctx.continueAsNew() before it has so many',
      );
    }
    this.#add({
      entry,
      isGiven: false,
      isEager: how.isEager,
      isDerived: how.isDerived ?? false,
      isRecorded: false,
      isAsked: true,
    });
  }

  /** Records all new entries. */
  flush(): Promise<void> {
    if (this.#recordedEnd === this.#slots.length) return Promise.resolve();
    this.#flushing ??= this.#recordAll();
    return this.#flushing;
  }

  /** Records what the code has seen, unless it would come out the same after a crash. */
  flushSeen(): Promise<void> {
    const isNeeded = this.#slots.slice(this.#recordedEnd).some(({ isDerived }) => !isDerived);
    return isNeeded ? this.flush() : Promise.resolve();
  }

  /** Takes over what a suspend recorded: all new entries, then those of the runtime. */
  resume(entries: readonly Entry[]): void {
    this.#markRecorded(this.#slots.length);
    this.#give(entries);
  }

  /** Given entries that the code never asked for. */
  get neverAsked(): readonly Entry[] {
    return this.#slots
      .filter(({ isGiven, isAsked, entry }) => isGiven && !isAsked && !isLeftOut(entry.kind))
      .map(({ entry }) => entry);
  }

  /** Resolves when no request is under way; rejects with what the journal threw. */
  async whenFlushed(): Promise<void> {
    await this.#flushing;
  }

  async #recordAll(): Promise<void> {
    try {
      while (this.#recordedEnd < this.#slots.length) {
        const batch = this.unrecorded.slice(0, ENTRIES_AT_ONCE_MAX);
        this.#exceeded = (await this.#journal.record(batch)) ?? this.#exceeded;
        this.#markRecorded(this.#recordedEnd + batch.length);
      }
    } finally {
      this.#flushing = null;
    }
  }

  #markRecorded(end: number): void {
    for (const slot of this.#slots.slice(this.#recordedEnd, end)) slot.isRecorded = true;
    this.#recordedEnd = end;
  }

  #give(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const isAsked = this.#asked.has(entry.identity);
      const given = { isGiven: true, isEager: false, isDerived: false, isRecorded: true };
      this.#add({ ...given, entry, isAsked });
    }
    this.#recordedEnd = this.#slots.length;
    this.#givenEnd = this.#slots.length;
  }

  #add(slot: Slot): void {
    this.#slots.push(slot);
    this.#byIdentity.set(slot.entry.identity, slot);
  }

  /** Passes what the call itself has answered. */
  #pass(): void {
    for (;;) {
      const slot = this.#slots[this.#cursor];
      if (slot === undefined || !slot.isAsked || !ANSWERED_AT_ONCE.has(slot.entry.kind)) return;
      this.#cursor += 1;
    }
  }
}

/**
 * Whether the code may leave out asking for entries of this kind. You may delete a `ctx.version` that
 * all executions have passed, and a `ctx.setLabels`. Rollbacks run in a turn of their own.
 */
export function isLeftOut(kind: EntryKind): boolean {
  return kind === 'version' || kind === 'labels' || kind === 'rollback';
}

/** `step "charge"`. */
export function quote(given: { readonly kind: EntryKind; readonly identity: string }): string {
  return `${given.kind} "${given.identity}"`;
}
