import { type ExecutionState, visitKey } from '../../domain/execution/state.ts';
import { LeaseLostError, type NodeProgress, type NodeRunners } from '../../nodes/run.ts';
import type { Store } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';
import { reportRun } from '../work/report-attempt.ts';
import { withinDepth } from './family.ts';
import type { Held } from './held-execution.ts';
import { type RunningItem, runItem } from './run-items.ts';
import type { RunnerMailbox } from './runner-mailbox.ts';

/**
 * The leased items of one execution that run in this process. A run ends with an outcome, which
 * goes to the mailbox, or with an abort, after which its outcome does not count.
 */
export class ItemRuns {
  readonly #deps: RunDeps;
  readonly #runners: NodeRunners;
  readonly #mailbox: Pick<RunnerMailbox, 'finish' | 'note'>;
  readonly #onForgotten: () => void;
  readonly #running = new Map<string, RunningItem>();

  constructor(
    deps: RunDeps,
    of: {
      readonly runners: NodeRunners;
      readonly mailbox: Pick<RunnerMailbox, 'finish' | 'note'>;
      /** Called when an item no longer counts as running. */
      readonly onForgotten: () => void;
    },
  ) {
    this.#deps = deps;
    this.#runners = of.runners;
    this.#mailbox = of.mailbox;
    this.#onForgotten = of.onForgotten;
  }

  get size(): number {
    return this.#running.size;
  }

  items(): Iterable<RunningItem> {
    return this.#running.values();
  }

  /** Runs an item on the present state of the execution. */
  start(held: Held, item: RunningItem): void {
    const { workItemId } = item.ticket;
    const earlier = this.#running.get(workItemId);
    if (earlier?.leaseFence === item.leaseFence) return;
    // The earlier run of the same item has lost its lease to this one.
    earlier?.abort.abort();
    const { signal } = item.abort;
    if (signal.aborted) return;
    this.#running.set(workItemId, item);
    // Not when the run ends: a run that ignores the signal would keep the runner busy.
    signal.addEventListener('abort', () => void this.forget(item), { once: true });
    const { plan } = held.compiled;
    const record = (progress: NodeProgress) => this.#record(item, progress);
    const at = { plan, state: held.state, tenantPolicy: held.tenant.policy, record };
    const { artifacts } = this.#deps.store;
    const begunAt = this.#deps.timers.now();
    void runItem({ runners: this.#runners, artifacts }, at, item).then((outcome) => {
      if (this.#running.get(workItemId) !== item) return;
      const { ticket } = item;
      const node = plan.nodes.get(ticket.nodeId) ?? null;
      const { workflowId } = plan;
      const ms = this.#deps.timers.now() - begunAt;
      reportRun(this.#deps, { ticket, workflowId, node, outcome, ms });
      this.#mailbox.finish({ item, outcome: withinDepth(outcome, at.state) });
    });
  }

  /** Whether the item runs here for an attempt that the execution still waits for. */
  isCurrent(state: ExecutionState, item: RunningItem): boolean {
    const { nodeId, visit, workItemId, attempt } = item.ticket;
    const live = state.live.get(visitKey(nodeId, visit));
    return (
      this.#running.get(workItemId) === item &&
      live?.workItemId === workItemId &&
      live.attempt === attempt
    );
  }

  /** The item no longer runs here. A later run of the same item stays. */
  forget(item: RunningItem): false {
    const { workItemId } = item.ticket;
    if (this.#running.get(workItemId) === item) {
      this.#running.delete(workItemId);
      this.#onForgotten();
    }
    return false;
  }

  /** Aborts the runs of visits that have been cancelled. */
  abortCancelled(state: ExecutionState): void {
    for (const { ticket, abort } of this.#running.values().toArray()) {
      if (!state.live.has(visitKey(ticket.nodeId, ticket.visit))) abort.abort();
    }
  }

  abortAll(): void {
    for (const { abort } of this.#running.values().toArray()) abort.abort();
  }

  /** See `NodeCall.record`. */
  #record(item: RunningItem, progress: NodeProgress): Promise<void> {
    const { workItemId } = item.ticket;
    if (this.#running.get(workItemId) === item) return this.#mailbox.note(item, progress);
    return Promise.reject(new LeaseLostError(workItemId));
  }
}

type RunDeps = Pick<EngineDeps, 'timers' | 'report'> & {
  readonly store: Pick<Store, 'artifacts'>;
};
