import { CancelledError, LeaseLostError } from '../worker/errors.ts';
import { type Ask, type Asked, type Task, waitsOf } from './asks.ts';
import { Continuation } from './continuation.ts';
import { EntryLog, isLeftOut, quote } from './entry-log.ts';
import { BudgetExceededError, errorOf, FunctionLimitError, NonDeterminismError } from './errors.ts';
import { WAITS_MAX, type Entry, type EntryKind, type Journal } from './journal.ts';
import { News } from './news.ts';
import type { Patience } from './patience.ts';
import type { Scope } from './scope.ts';
import { awaitsSteps, type TurnEnd } from './turn-end.ts';

/*
 * One turn of a function. The code asks for entries; a loop gives them to it, one at a time, in the order
 * of the journal. After each it lets the code run until it asks for something again. When all recorded
 * entries are given, it starts the steps that were asked for. When no step runs and the code only
 * waits, it suspends.
 *
 * The loop gives an entry only after the code has done all that the entries before it let it do. So
 * the code runs the same way in each turn. A recorded entry that the code has not asked for at its
 * place shows that the code has changed, before anything new runs.
 */

export class Turn {
  readonly log: EntryLog;
  readonly continuation = new Continuation();
  readonly #news = new News();
  readonly #journal: Journal;
  readonly #patience: Patience;
  readonly #stopped: AbortSignal;
  readonly #startsTasks: boolean;
  readonly #asks = new Map<string, Ask>();
  readonly #tasks: Task[] = [];
  #running = 0;
  #end: TurnEnd | null = null;
  #isOver = false;
  /** It ends without waits as soon as no step runs. */
  #yields = false;
  /** Set until the loop comes by, so that steps that end together are recorded together. */
  #mustFlush = false;
  #broken: { readonly error: unknown } | null = null;

  constructor(given: {
    readonly journal: Journal;
    readonly patience: Patience;
    readonly stopped: AbortSignal;
    /** False: only replays, as a rollback does. */
    readonly startsTasks: boolean;
  }) {
    this.#journal = given.journal;
    this.#patience = given.patience;
    this.#stopped = given.stopped;
    this.#startsTasks = given.startsTasks;
    this.log = new EntryLog(given.journal);
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Asks for an entry; it may never come, when the turn ends first. Rejects with its error. */
  ask(asked: Asked): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#check(() => this.log.ask(asked.identity, asked.kind))) return;
      this.#asks.set(asked.identity, {
        ...asked,
        deliver: (entry) =>
          entry.error === undefined ? resolve(entry.output ?? null) : reject(errorOf(entry)),
        reject,
      });
      this.#news.tell();
    });
  }

  /** Finds an entry that the call itself answers; null when nothing is recorded. */
  find(identity: string, kind: EntryKind): Entry | null {
    let found: Entry | null = null;
    this.#check(() => {
      found = this.log.ask(identity, kind);
    });
    return found;
  }

  /** Appends what the code may see at once; it is recorded with the next entry that must be. */
  note(entry: Entry, how: { readonly isDerived: boolean } = { isDerived: false }): void {
    if (this.#isOver) return;
    this.#check(() => this.log.append(entry, { isEager: true, ...how }));
    this.#news.tell();
  }

  /** Appends and records; the code sees the entry when that is done. */
  record(entry: Entry): void {
    if (this.#isOver || !this.#check(() => this.log.append(entry, { isEager: false }))) return;
    this.#mustFlush = true;
    this.#news.tell();
  }

  /** Records what the code has seen; false when the turn is over. */
  async recordSeen(): Promise<boolean> {
    try {
      await this.log.flushSeen();
      return !this.#isOver;
    } catch (error) {
      this.#break(error);
      return false;
    }
  }

  /**
   * False if a budget allows no further step. Then what asked for the step gets the error, or the turn
   * ends without it, for a person to decide.
   */
  mayStart(identity: string): boolean {
    const { exceeded } = this.log;
    if (exceeded === null) return true;
    if (exceeded.action === 'pause') {
      this.#yields = true;
    } else {
      const ask = this.#asks.get(identity);
      this.#asks.delete(identity);
      ask?.reject(new BudgetExceededError(exceeded));
    }
    this.#news.tell();
    return false;
  }

  /** Runs `work` when the replay is over, and counts it as running. Rejects as `work` does. */
  work<Result>(scope: Scope, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#tasks.push({ scope, start: () => work().then(resolve, reject) });
      this.#news.tell();
    });
  }

  /** Ends the turn with what the code of the function comes to. */
  follow(code: Promise<unknown>): void {
    code.then(
      (output) => this.end(this.continuation.judge({ kind: 'returned', output })),
      (error: unknown) => this.end(this.continuation.judge({ kind: 'threw', error })),
    );
  }

  /** Ends the turn, unless it has ended. */
  end(end: TurnEnd): void {
    this.#end ??= end;
    this.#news.tell();
  }

  /** Runs until the turn ends. Rejects with what the journal threw, as `LeaseLostError`. */
  async run(): Promise<TurnEnd> {
    this.#stopped.addEventListener('abort', this.#news.tell);
    try {
      for (;;) {
        this.#news.clear();
        await this.#patience.drained();
        if (this.#broken !== null) throw this.#broken.error;
        if (this.#end !== null) return await this.#finish(this.#end);
        const { ignored } = this.continuation;
        if (ignored !== null) {
          this.end(ignored);
          continue;
        }
        this.#flush();
        if (this.#giveNext()) continue;
        if (await this.#meetStop()) continue;
        if (await this.#seekDivergence()) continue;
        if (!this.#startsTasks && !this.log.isReplaying) {
          this.end({ kind: 'replayed' });
          continue;
        }
        if (this.#startTasks()) continue;
        if (await this.#suspend()) continue;
        await this.#news.next();
      }
    } finally {
      this.#isOver = true;
      this.#stopped.removeEventListener('abort', this.#news.tell);
    }
  }

  #break(error: unknown): void {
    this.#broken ??= { error };
    this.#news.tell();
  }

  async #finish(end: TurnEnd): Promise<TurnEnd> {
    while (awaitsSteps(end) && this.#running > 0 && !this.#stopped.aborted) {
      this.#news.clear();
      await this.#news.next();
      if (this.#broken !== null) throw this.#broken.error;
    }
    this.#isOver = true;
    await this.log.whenFlushed();
    // A step that is cut off runs again in another turn of this visit.
    const isCutOff = end.kind === 'continued' && this.#running > 0;
    return isCutOff ? { kind: 'stopped', reason: this.#stopped.reason } : end;
  }

  /** Ends the turn with what `use` of the log throws; false then. */
  #check(use: () => unknown): boolean {
    try {
      use();
      return true;
    } catch (error) {
      this.end({ kind: 'threw', error });
      return false;
    }
  }

  /** The next entry in order, if the code asked for it and may see it. */
  #giveNext(): boolean {
    const slot = this.log.next;
    if (slot === null || !(slot.isRecorded || slot.isEager)) return false;
    const ask = this.#asks.get(slot.entry.identity);
    if (ask === undefined) return false;
    this.#asks.delete(slot.entry.identity);
    this.log.takeNext();
    ask.deliver(slot.entry);
    return true;
  }

  /** Cancelled: steps under way end, and are recorded. Lost or past the deadline: at once. */
  async #meetStop(): Promise<boolean> {
    if (!this.#stopped.aborted) return false;
    const { reason } = this.#stopped;
    if (reason instanceof LeaseLostError) throw reason;
    if (reason instanceof CancelledError && this.#running > 0) await this.#news.next();
    else this.end({ kind: 'stopped', reason });
    return true;
  }

  /** @throws NonDeterminismError when the code does not come to ask for the next recorded entry */
  async #seekDivergence(): Promise<boolean> {
    const slot = this.log.next;
    if (slot === null || !slot.isGiven || this.#asks.has(slot.entry.identity)) return false;
    if (isLeftOut(slot.entry.kind)) {
      this.log.takeNext();
      return true;
    }
    // Code that asks for nothing at all awaits something outside.
    if (this.#asks.size === 0 && this.#tasks.length === 0) return false;
    if (await this.#newsOrLost()) return true;
    const [other] = this.#asks.values();
    this.end({
      kind: 'threw',
      error: new NonDeterminismError({
        recorded: quote(slot.entry),
        asked: other === undefined ? 'something else' : quote(other),
      }),
    });
    return true;
  }

  #startTasks(): boolean {
    if (this.log.isReplaying || !this.#startsTasks) return false;
    const tasks = this.#tasks.splice(0).filter(({ scope }) => !scope.isAbandoned);
    for (const task of tasks) {
      this.#running += 1;
      void task.start().finally(() => {
        this.#running -= 1;
        this.#news.tell();
      });
    }
    return tasks.length > 0;
  }

  async #suspend(): Promise<boolean> {
    if (this.#running > 0 || this.log.next !== null) return false;
    const waits = waitsOf(this.#asks.values());
    if (waits.length === 0 && !this.#yields) return false;
    if (waits.length > WAITS_MAX) {
      const message = `a function waits for at most ${WAITS_MAX} things at once: ${waits.length}`;
      this.end({ kind: 'threw', error: new FunctionLimitError(message) });
      return true;
    }
    while (this.log.unrecorded.length > WAITS_MAX) await this.log.flush();
    const satisfied = await this.#journal.suspend(this.log.unrecorded, this.#yields ? [] : waits);
    if (satisfied === null) this.end({ kind: 'suspended' });
    else this.log.resume(satisfied);
    return true;
  }

  #flush(): void {
    if (!this.#mustFlush) return;
    this.#mustFlush = false;
    this.log.flush().then(
      () => this.#news.tell(),
      (error: unknown) => this.#break(error),
    );
  }

  async #newsOrLost(): Promise<boolean> {
    const over = new AbortController();
    const isNews = await Promise.race([
      this.#news.next().then(() => true),
      this.#patience.lost(over.signal).then(() => false),
    ]);
    over.abort();
    return isNews;
  }
}
