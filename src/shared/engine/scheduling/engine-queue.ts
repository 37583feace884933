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
  #wasAnswerLost = false;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  get mayHoldItems(): boolean {
    return this.#mayHoldItems;
  }

  /** This process has left an item to the queue. */
  noteItem(): void {
    this.#mayHoldItems = true;
  }

  async claim(round: ShardRound): Promise<readonly RunningItem[]> {
    const { processId, leaseMs } = this.#deps.settings;
    this.#mayHoldItems = false;
    try {
      const claimed = await this.#deps.store.work.claim({
        tenantId: null,
        queues: ['engine'],
        workerId: processId,
        leaseMs,
        ...round,
      });
      if (claimed.length >= round.limit) this.#mayHoldItems = true;
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
