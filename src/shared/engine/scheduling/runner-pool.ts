import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { NodeRunners } from '../../nodes/run.ts';
import { StoreUnavailableError } from '../../store/store.ts';
import { ExecutionRunner } from '../advance/execution-runner.ts';
import type { Held } from '../advance/held-execution.ts';
import { createRestingStates, type RestingStates } from '../advance/resting-states.ts';
import type { RunningItem } from '../advance/run-items.ts';
import type { EngineDeps } from '../deps.ts';
import { cancelledTopic } from '../wake/wake-for.ts';
import { giveBackItem } from './give-back-item.ts';
import type { Room } from './room.ts';

/** News about an execution. */
export interface ExecutionNews {
  /** It is marked: it has something to decide. */
  readonly isMarked: boolean;
  /** Items of it that are leased to this process and not started. */
  readonly items: readonly RunningItem[];
  /** As this process has just committed it. */
  readonly current?: Held;
  /** This process may hold leases of it that it does not know. */
  readonly wasAnswerLost?: boolean;
}

/** An execution that cannot be advanced keeps its mark; for this time others come first. */
const BACKOFF_MS = 10_000;

/** The executions that this process advances, one runner for each. */
export class RunnerPool {
  readonly #deps: EngineDeps;
  readonly #nodeRunners: NodeRunners;
  readonly #room: Room;
  readonly #underWay = new Map<ExecutionId, ExecutionRunner>();
  readonly #resting: RestingStates;
  /** When each backoff ends; the oldest comes first, since all last equally long. */
  readonly #backedOff = new Map<ExecutionId, number>();
  readonly #answersLost = new Set<ExecutionId>();
  #isDraining = false;

  constructor(deps: EngineDeps, nodeRunners: NodeRunners, room: Room) {
    this.#deps = deps;
    this.#nodeRunners = nodeRunners;
    this.#room = room;
    this.#resting = createRestingStates(deps.wake);
  }

  get size(): number {
    return this.#underWay.size;
  }

  /** How many more executions it may begin to advance. */
  get roomLeft(): number {
    return this.#room.forExecutions({
      underWay: this.#underWay.size,
      countDecided: () => this.#countDecided(),
    });
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Executions that a list of marks may name needlessly: under way, or backing off. */
  get knownMarks(): number {
    return this.#underWay.size + this.#backedOff.size;
  }

  has(executionId: ExecutionId): boolean {
    return this.#underWay.has(executionId);
  }

  isBackingOff(executionId: ExecutionId): boolean {
    return this.#backedOff.has(executionId);
  }

  /** The runner of an execution under way learns that it has changed. */
  noteChange(executionId: ExecutionId): void {
    this.#underWay.get(executionId)?.noteChange();
  }

  /** Advances an execution, or gives the news to the runner that does so already. */
  advance(executionId: ExecutionId, news: ExecutionNews): ExecutionRunner {
    const present = this.#underWay.get(executionId);
    if (present !== undefined) {
      if (news.isMarked) present.noteChange();
      for (const item of news.items) present.addItem(item);
      if (news.wasAnswerLost === true) present.noteLostAnswer();
      return present;
    }
    const { isMarked, items, current, wasAnswerLost = false } = news;
    const runner = new ExecutionRunner(this.#deps, this.#nodeRunners, {
      executionId,
      isMarked,
      items,
      known: current ?? this.#resting.take(executionId),
      isCurrent: current !== undefined,
      wasAnswerLost,
      mayBeginItems: this.#mayBeginItems,
    });
    this.#underWay.set(executionId, runner);
    const topic = cancelledTopic(executionId);
    const unsubscribe = this.#deps.wake.subscribe(topic, () => runner.noteChange());
    runner.done
      .catch((error: unknown) => this.#noteFailure(executionId, runner, error))
      .finally(() => {
        unsubscribe();
        this.#end(executionId, runner);
      });
    return runner;
  }

  /** The answer to a commit or a claim was lost, which may have leased items to this process. */
  noteLostAnswer(executionId: ExecutionId): void {
    this.#answersLost.add(executionId);
  }

  /** Continues with leases that lost answers gave, as far as there is room. */
  recoverLostAnswers(): void {
    for (const executionId of [...this.#answersLost].slice(0, this.roomLeft)) {
      this.#answersLost.delete(executionId);
      this.advance(executionId, { isMarked: false, items: [], wasAnswerLost: true });
    }
  }

  /** Executions whose backoff is over may be advanced again. */
  endBackoffs(): void {
    for (const [executionId, until] of this.#backedOff) {
      if (until > this.#deps.timers.now()) return;
      this.#backedOff.delete(executionId);
    }
  }

  /** All items leased to this process, as far as it knows. */
  items(): RunningItem[] {
    return [...this.#underWay.values()].flatMap((runner) => [...runner.items()]);
  }

  /** How many of them each tenant has. */
  countItems(): ReadonlyMap<TenantId, number> {
    const counts = new Map<TenantId, number>();
    for (const { ticket } of this.items()) {
      counts.set(ticket.tenantId, (counts.get(ticket.tenantId) ?? 0) + 1);
    }
    return counts;
  }

  /** Starts nothing more, and gives back what has not ended in time. */
  async drain({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
    this.#isDraining = true;
    for (const runner of this.#underWay.values()) runner.drain();
    const resting = Promise.allSettled([...this.#underWay.values()].map((runner) => runner.done));
    const late = Promise.withResolvers<'late'>();
    const cancel = this.#deps.timers.after(deadlineMs, () => late.resolve('late'));
    const outcome = await Promise.race([resting, late.promise]);
    cancel();
    if (outcome === 'late') {
      await Promise.all(this.items().map((item) => giveBackItem(this.#deps, item)));
    }
    await this.#deps.committer.idle();
  }

  #countDecided(): number {
    let count = 0;
    for (const runner of this.#underWay.values()) if (!runner.hasItems) count += 1;
    return count;
  }

  /** It is under way itself. */
  readonly #mayBeginItems = (): boolean => this.#room.takesItems(this.#underWay.size - 1);

  #noteFailure(executionId: ExecutionId, runner: ExecutionRunner, error: unknown): void {
    const ids = { execution_id: executionId };
    this.#deps.report.trouble('advancing an execution failed', error, ids);
    if (error instanceof StoreUnavailableError) {
      if (runner.wasAnswerLost) this.#answersLost.add(executionId);
      return;
    }
    this.#backedOff.delete(executionId);
    this.#backedOff.set(executionId, this.#deps.timers.now() + BACKOFF_MS);
  }

  /** News that came too late for the runner goes to another one. */
  #end(executionId: ExecutionId, runner: ExecutionRunner): void {
    this.#underWay.delete(executionId);
    const rested = runner.rested();
    this.#resting.keep(executionId, rested);
    if (rested !== null) this.#deps.heldExecutions.set(rested);
    const { isMarked, items } = runner.leftOver();
    if (this.#isDraining) items.forEach((item) => void giveBackItem(this.#deps, item));
    else if (isMarked || items.length > 0) this.advance(executionId, { isMarked, items });
  }
}
