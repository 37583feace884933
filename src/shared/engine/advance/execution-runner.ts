import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { NodeRunners } from '../../nodes/run.ts';
import { type CommitVerdict, emptyCommit, type RefusalReason } from '../../store/commit.ts';
import { StoreUnavailableError } from '../../store/store.ts';
import { afterCommit } from '../commit/after-commit.ts';
import type { EngineDeps } from '../deps.ts';
import { commitOfWorkflowHold } from '../executions/pause-execution.ts';
import { waitsInQueue } from '../flow/find-flow-wait.ts';
import { findMissedDeadline } from '../flow/missed-deadline.ts';
import { fireTimer } from '../scheduling/fire-timer.ts';
import { afterMicrotasks } from '../scheduling/timers.ts';
import { bornItems } from './born-items.ts';
import { descendantsMaxOf } from './family.ts';
import { type Held, loadHeld, refreshHeld } from './held-execution.ts';
import { ItemRuns } from './item-runs.ts';
import { type CommitStep, planStep } from './plan-step.ts';
import { judgeRefusedMail } from './refused-mail.ts';
import type { RunningItem } from './run-items.ts';
import { createRunnerMailbox, type Mail, type RunnerMailbox } from './runner-mailbox.ts';
import { emptyTail } from './snapshot-tail.ts';
import { cancelOrphan } from './tell-family.ts';
import { listUnknownLeases } from './unknown-leases.ts';
import { endedTopic } from '../wake/awaited-ends.ts';
import { PLACES_TOPIC } from '../wake/wake-bus.ts';
import { WakeableRest } from './wakeable-rest.ts';

const OUTAGE_REST_MS = { min: 100, max: 5_000 };

/**
 * Advances one execution in this process: load → decide → commit, until it waits for the outside.
 *
 * In-engine nodes run on the way. The commit that schedules an item also leases it to this process.
 * The outcome of one item, the next decision and the next lease are the next commit, so a chain costs
 * one commit a node. Outcomes that are ready together are settled together.
 *
 * Correctness does not depend on anything here. A commit names the sequence it was decided on and the
 * fences it ends. When another process was faster (a worker's completion, a cancel, a second scheduler
 * on the same shard), the store refuses the commit; the runner reads the state and decides again. A
 * process that dies leaves leases, which lapse and count as failed attempts.
 *
 * A class, because a process makes one for every execution: methods cost nothing to make.
 */
export class ExecutionRunner {
  /** Resolves when the runner is idle: nothing to decide, nothing running here. */
  readonly done: Promise<void>;
  readonly #deps: EngineDeps;
  readonly #executionId: ExecutionId;
  readonly #rest: WakeableRest;
  readonly #mailbox: RunnerMailbox;
  readonly #runs: ItemRuns;
  /** Leased to this process, and not started yet. */
  readonly #incoming: RunningItem[];
  /** Asked where no item of the execution runs here. False: its items go to the queue. */
  readonly #mayBeginItems: () => boolean;
  /** Null: it must be loaded. */
  #held: Held | null;
  /** The history may have grown since it was read. */
  #isOutdated: boolean;
  /** The runner must clear the mark before it stops. */
  #isMarked: boolean;
  /** Nothing has been read or committed since the last decision. */
  #isDecided: boolean;
  #isDraining = false;
  /**
   * An answer of the store was lost, so this process may hold leases that it does not know. Until the
   * next commit is accepted, since the lost one may still be on its way.
   */
  #wasAnswerLost: boolean;

  constructor(
    deps: EngineDeps,
    runners: NodeRunners,
    of: {
      readonly executionId: ExecutionId;
      readonly isMarked: boolean;
      /** Items of this execution that are leased to this process and not started. */
      readonly items: readonly RunningItem[];
      /** As this process saw it last; null: it is loaded. */
      readonly known: Held | null;
      /** Nothing can have happened since, and the items belong to that state. */
      readonly isCurrent: boolean;
      readonly wasAnswerLost: boolean;
      readonly mayBeginItems: () => boolean;
    },
  ) {
    this.#deps = deps;
    this.#executionId = of.executionId;
    this.#rest = new WakeableRest(deps.timers);
    const wake = () => this.#rest.wake();
    this.#mailbox = createRunnerMailbox(wake);
    this.#runs = new ItemRuns(deps, { runners, mailbox: this.#mailbox, onForgotten: wake });
    this.#incoming = [...of.items];
    this.#mayBeginItems = of.mayBeginItems;
    this.#held = of.known;
    this.#isOutdated = of.known !== null && !of.isCurrent;
    this.#isMarked = of.isMarked;
    this.#isDecided = of.isCurrent && !of.isMarked;
    this.#wasAnswerLost = of.wasAnswerLost;
    this.done = this.#run();
  }

  /** The execution has changed: the runner reads it again before it stops. */
  noteChange(): void {
    this.#isOutdated = true;
    this.#isMarked = true;
    this.#rest.wake();
  }

  /** This process has claimed an item of the execution. */
  addItem(item: RunningItem): void {
    this.#incoming.push(item);
    this.#rest.wake();
  }

  noteLostAnswer(): void {
    this.#wasAnswerLost = true;
    this.#isOutdated = true;
    this.#rest.wake();
  }

  /** From now on further items go to their queue, for other processes. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Items leased to this process, as far as it knows. */
  items(): readonly RunningItem[] {
    return [...this.#runs.items(), ...this.#incoming];
  }

  get hasItems(): boolean {
    return this.#runs.size > 0 || this.#incoming.length > 0;
  }

  /** Changes and items that came in after the last round. */
  leftOver(): { readonly isMarked: boolean; readonly items: readonly RunningItem[] } {
    return { isMarked: this.#isOutdated, items: this.#incoming };
  }

  get wasAnswerLost(): boolean {
    return this.#wasAnswerLost;
  }

  /** The execution in its last state; null: it was not found, or its state is uncertain. */
  rested(): Held | null {
    return this.#held;
  }

  async #run(): Promise<void> {
    let restMs = OUTAGE_REST_MS.min;
    if (this.#held !== null && !this.#isOutdated) {
      this.#startIncoming(this.#held, this.#incoming.length);
    }
    try {
      for (;;) {
        try {
          if (await this.#advance()) return;
          restMs = OUTAGE_REST_MS.min;
        } catch (error) {
          this.#held = null;
          if (!(error instanceof StoreUnavailableError)) {
            this.#dropIncoming();
            throw error;
          }
          this.#wasAnswerLost ||= error.ambiguous;
          if (this.#runs.size === 0 && this.#incoming.length === 0) throw error;
          // The items stay here until the store is back or their leases are lost.
          await this.#rest.wait(restMs);
          restMs = Math.min(restMs * 2, OUTAGE_REST_MS.max);
        }
      }
    } finally {
      this.#runs.abortAll();
      this.#mailbox.close();
    }
  }

  /** One round. True: the runner is idle, or the execution has ended. */
  async #advance(): Promise<boolean> {
    // An execution that a commit of this runner has ended does not change again.
    if (this.#held !== null && isTerminal(this.#held.state.status)) {
      this.#isOutdated = false;
      this.#dropIncoming();
      return true;
    }
    const arrived = this.#incoming.length;
    // A claimed item may belong to a visit or an attempt that came after the last reading.
    if (this.#isOutdated || this.#held === null || arrived > 0) {
      this.#isOutdated = false;
      this.#held = await (this.#held === null
        ? loadHeld(this.#deps, this.#executionId)
        : refreshHeld(this.#deps, this.#held));
      this.#isDecided = false;
      if (this.#held !== null && (await this.#holdForWorkflow(this.#held))) return false;
      if (this.#held !== null && (await this.#missesDeadline(this.#held))) return false;
      if (this.#held !== null && (await this.#waitsForPlace(this.#held))) return true;
    }
    const held = this.#held;
    if (this.#wasAnswerLost && held !== null) await this.#recoverLeases();
    if (held === null || isTerminal(held.state.status)) {
      // The commit of the end has perhaps been told to nobody.
      if (this.#wasAnswerLost) {
        this.#deps.wake.notify([PLACES_TOPIC, endedTopic(this.#executionId)]);
      }
      this.#dropIncoming();
      return true;
    }
    this.#runs.abortCancelled(held.state);
    this.#startIncoming(held, arrived);
    if (!this.#isDecided || !this.#mailbox.isEmpty()) {
      // Runs that end at once, or together, are settled together: in one commit.
      if (this.#mailbox.finished() < this.#runs.size) await new Promise<void>(afterMicrotasks);
      if (await this.#step(held)) return this.#mayLeave();
    }
    if (this.#isOutdated || !this.#mailbox.isEmpty() || this.#incoming.length > 0) return false;
    if (this.#runs.size === 0) return true;
    await this.#rest.wait(null);
    return false;
  }

  /**
   * While the process drains, another process makes the next decision, which the mark announces.
   */
  #mayLeave(): boolean {
    return this.#isDraining && this.#isMarked && !this.hasItems;
  }

  /** The item that follows one that has ended takes its place. */
  #mayLease({ settled }: Mail): boolean {
    return !this.#isDraining && (settled.length > 0 || this.hasItems || this.#mayBeginItems());
  }

  #startIncoming(held: Held, count: number): void {
    for (const item of this.#incoming.splice(0, count)) this.#runs.start(held, item);
  }

  /** These items do not run: their leases are gone, or expire and count as an attempt. */
  #dropIncoming(): void {
    for (const item of this.#incoming.splice(0)) item.abort.abort();
  }

  /** Meanwhile only claims of this process take items of this execution. */
  async #recoverLeases(): Promise<void> {
    const executionId = this.#executionId;
    const known = () => this.items();
    this.#incoming.push(...(await listUnknownLeases(this.#deps, { executionId, known })));
  }

  /** True: its workflow is paused, so the runner has held the execution, and reads it again. */
  async #holdForWorkflow({ row, state, workflowPause }: Held): Promise<boolean> {
    const commit = commitOfWorkflowHold(row, state, workflowPause);
    if (commit === null) return false;
    this.#held = null;
    const verdict = await this.#deps.committer.commit(commit);
    if (verdict.accepted) afterCommit(this.#deps, { commit, row, committedAt: verdict.createdAt });
    return true;
  }

  /** True: it must not begin any more, so its deadline has fired, and the runner reads it again. */
  async #missesDeadline({ state }: Held): Promise<boolean> {
    const deadline = await findMissedDeadline(this.#deps, state);
    if (deadline === null) return false;
    this.#held = null;
    await fireTimer(this.#deps, deadline);
    return true;
  }

  /** Its mark stays, for when it has its place. */
  #waitsForPlace({ state, compiled }: Held): Promise<boolean> {
    const wasAnswerLost = this.#wasAnswerLost;
    return waitsInQueue(this.#deps, { state, plan: compiled.plan, wasAnswerLost });
  }

  /** One decision and its commit. False: there was nothing to decide. */
  async #step(held: Held): Promise<boolean> {
    const runs = this.#runs;
    const mail = this.#mailbox.take(
      (item) => runs.isCurrent(held.state, item) || runs.forget(item),
    );
    try {
      const step = await planStep(this.#deps, held, { mail, mayLease: this.#mayLease(mail) });
      if (step.commit === null) {
        this.#isDecided = true;
        return await this.#clearMark(held, step.decision.next.status);
      }
      const verdict = await this.#deps.committer.commit(step.commit);
      if (verdict.accepted) {
        this.#accept(held, step, verdict);
      } else {
        const { reason } = verdict;
        const isOrphanForGood = reason === 'orphaned' && (await cancelOrphan(this.#deps, held));
        this.#refuse(held, { reason, isOrphanForGood, mail });
      }
      return true;
    } catch (error) {
      this.#mailbox.putBack(mail);
      throw error;
    }
  }

  /** The step is committed: its result is the present state, and its items start. */
  #accept(
    held: Held,
    { mail, commit, decision, tail }: CommitStep,
    verdict: Extract<CommitVerdict, { readonly accepted: true }>,
  ): void {
    const { next, more } = decision;
    this.#wasAnswerLost = false;
    held.state = next;
    held.rowStatus = next.status;
    held.tail = commit.snapshot === null ? tail : emptyTail(commit.snapshot.length);
    this.#isMarked = more;
    this.#isDecided = !more;
    for (const { kept } of mail.noted) kept.resolve();
    for (const { item } of mail.settled) this.#runs.forget(item);
    for (const item of bornItems(commit, verdict.fences)) this.#runs.start(held, item);
    const committedAt = verdict.createdAt;
    afterCommit(this.#deps, { commit, row: held.row, committedAt, state: next });
  }

  /**
   * The execution has moved, or the commit exceeded a limit: the runner reads it and decides again.
   */
  #refuse(
    { state, tenant }: Held,
    refused: {
      readonly reason: RefusalReason;
      readonly isOrphanForGood: boolean;
      readonly mail: Mail;
    },
  ): void {
    this.#held = null;
    const descendantsMax = descendantsMaxOf(tenant, this.#deps.settings);
    const { mail, lost, oneByOne } = judgeRefusedMail({
      ...refused,
      state,
      descendantsMax,
    });
    if (lost !== null) this.#runs.forget(lost);
    if (oneByOne) this.#mailbox.splitUp();
    this.#mailbox.putBack(mail);
  }

  /** True: the execution has moved, so the mark stays and the runner reads it again. */
  async #clearMark(held: Held, status: ExecutionStatus): Promise<boolean> {
    if (!this.#isMarked) return false;
    const verdict = await this.#deps.committer.commit({
      ...emptyCommit(held.row),
      expectedSequence: held.state.sequence,
      status: status === held.rowStatus ? null : status,
      runnable: 'clear',
    });
    if (verdict.accepted) {
      this.#isMarked = false;
      held.rowStatus = status;
    } else this.#held = null;
    return !verdict.accepted;
  }
}
