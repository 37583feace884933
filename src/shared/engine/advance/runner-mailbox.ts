import { LeaseLostError, type NodeOutcome, type NodeProgress } from '../../nodes/run.ts';
import type { RunningItem } from './run-items.ts';

/**
 * Keeps the messages of one execution's runs to its runner until a commit takes them: outcomes, and
 * progress that a run wants recorded before it continues.
 */
export interface RunnerMailbox {
  finish(of: Finished): void;
  /** Resolves once it is committed; rejects with `LeaseLostError` when it never will be. */
  note(item: RunningItem, progress: NodeProgress): Promise<void>;
  isEmpty(): boolean;
  /** How many runs have ended and are not settled. */
  finished(): number;
  /** Takes the mail for one commit, and drops that of items which no longer run. */
  take(isCurrent: (item: RunningItem) => boolean): Mail;
  /** Its commit failed: the next commit takes the mail again. */
  putBack(mail: Mail): void;
  /**
   * Returns one outcome at a time until none is left, because a refusal does not say which is at
   * fault.
   */
  splitUp(): void;
  /** The runner commits nothing more: rejects the remaining notes. */
  close(): void;
}

export interface Mail {
  readonly noted: readonly Note[];
  readonly settled: readonly Finished[];
}

export interface Finished {
  readonly item: RunningItem;
  readonly outcome: NodeOutcome;
}

/** Progress that a run wants on record before it continues. */
export interface Note {
  readonly item: RunningItem;
  readonly progress: NodeProgress;
  readonly kept: PromiseWithResolvers<void>;
}

export function createRunnerMailbox(onMail: () => void): RunnerMailbox {
  const finished: Finished[] = [];
  const notes: Note[] = [];
  let oneByOne = false;

  return {
    finish(of) {
      finished.push(of);
      onMail();
    },
    note(item, progress) {
      const kept = Promise.withResolvers<void>();
      notes.push({ item, progress, kept });
      onMail();
      return kept.promise;
    },
    isEmpty: () => finished.length === 0 && notes.length === 0,
    finished: () => finished.length,
    take(isCurrent) {
      const noted = notes.splice(0).filter((note) => isCurrent(note.item) || giveUp(note));
      const ended = oneByOne ? finished.splice(0, 1) : finished.splice(0);
      if (finished.length === 0) oneByOne = false;
      return { noted, settled: ended.filter(({ item }) => isCurrent(item)) };
    },
    putBack({ noted, settled }) {
      notes.unshift(...noted);
      finished.unshift(...settled);
    },
    splitUp() {
      oneByOne = true;
    },
    close() {
      for (const note of notes.splice(0)) giveUp(note);
    },
  };
}

function giveUp({ item, kept }: Note): false {
  kept.reject(new LeaseLostError(item.ticket.workItemId));
  return false;
}
