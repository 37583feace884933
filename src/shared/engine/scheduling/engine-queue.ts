import type { TenantId } from '../../domain/ids.ts';
import { isAmbiguous } from '../../store/store.ts';
import type { RunningItem } from '../advance/run-items.ts';
import { listUnknownLeases } from '../advance/unknown-leases.ts';
import type { EngineDeps } from '../deps.ts';
import type { RunnerPool } from './runner-pool.ts';
import type { ShardRound } from './scheduling.ts';

/** The queue of in-engine items, as this process knows it. */
export class EngineQueue {
  readonly #deps: EngineDeps;
  /** Items may wait there: for room, or since before this process came. */
  #mayHoldItems = true;
  /** How many items were left to it. */
  #notes = 0;
  #wasAnswerLost = false;
  /** The last claim has not taken all: tenants take turns, so that none waits for all items of another. */
  #hasLeftItems = true;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  get mayHoldItems(): boolean {
    return this.#mayHoldItems;
  }

  /** This process has left an item to the queue. */
  noteItem(): void {
    this.#notes += 1;
    this.#mayHoldItems = true;
  }

  /** `held`: the items that this process has of each tenant. */
  async claim(
    round: ShardRound,
    held: () => ReadonlyMap<TenantId, number>,
  ): Promise<readonly RunningItem[]> {
    const { processId, leaseMs } = this.#deps.settings;
    const heldOf = this.#hasLeftItems ? held() : null;
    const notes = this.#notes;
    // While items are left, nothing overtakes them during a claim.
    this.#mayHoldItems = heldOf !== null;
    this.#hasLeftItems = true;
    try {
      const claimed = await this.#deps.store.work.claim({
        tenantId: null,
        queues: ['engine'],
        workerId: processId,
        leaseMs,
        ...round,
        ...(heldOf !== null && { heldOf }),
      });
      this.#hasLeftItems = claimed.length >= round.limit;
      this.#mayHoldItems = this.#hasLeftItems || this.#notes > notes;
      return claimed.map(({ ticket, leaseFence }) => ({
        ticket,
        leaseFence,
        abort: new AbortController(),
      }));
    } catch (error) {
      this.#mayHoldItems = true;
      this.#wasAnswerLost ||= isAmbiguous(error);
      throw error;
    }
  }

  /** After a lost answer to a claim: the executions whose items it leased are read again. */
  async recoverLostClaim(pool: RunnerPool): Promise<void> {
    if (!this.#wasAnswerLost) return;
    const unknown = await listUnknownLeases(this.#deps, {
      executionId: null,
      known: () => pool.items(),
    });
    // Some are on their way to a runner by now: it looks for itself.
    for (const { ticket } of unknown) pool.noteLostAnswer(ticket.executionId);
    this.#wasAnswerLost = false;
  }
}
