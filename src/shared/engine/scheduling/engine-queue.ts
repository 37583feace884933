import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import { isAmbiguous } from '../../store/store.ts';
import type { RunningItem } from '../advance/run-items.ts';
import { listUnknownLeases } from '../advance/unknown-leases.ts';
import type { EngineDeps } from '../deps.ts';
import type { Room } from './room.ts';
import type { ShardRound } from './scheduling.ts';

/** The queue of in-engine items, as this process claims from it. */
export class EngineQueue {
  readonly #deps: EngineDeps;
  readonly #room: Room;
  #wasAnswerLost = false;

  constructor(deps: EngineDeps, room: Room) {
    this.#deps = deps;
    this.#room = room;
  }

  /** `held`: the items that this process has of each tenant. */
  async claim(
    round: ShardRound,
    held: () => ReadonlyMap<TenantId, number>,
  ): Promise<readonly RunningItem[]> {
    const { processId, leaseMs } = this.#deps.settings;
    const claim = this.#room.beginClaim();
    let tookAll = false;
    try {
      const claimed = await this.#deps.store.work.claim({
        tenantId: null,
        queues: ['engine'],
        workerId: processId,
        leaseMs,
        ...round,
        ...(claim.inTurns && { heldOf: held() }),
      });
      tookAll = claimed.length < round.limit;
      return claimed.map(({ ticket, leaseFence }) => ({
        ticket,
        leaseFence,
        abort: new AbortController(),
      }));
    } catch (error) {
      this.#wasAnswerLost ||= isAmbiguous(error);
      throw error;
    } finally {
      claim.end({ tookAll });
    }
  }

  /** After a lost answer to a claim: the executions whose items it may have leased. */
  async recoverLostClaim(known: () => readonly RunningItem[]): Promise<readonly ExecutionId[]> {
    if (!this.#wasAnswerLost) return [];
    const unknown = await listUnknownLeases(this.#deps, { executionId: null, known });
    this.#wasAnswerLost = false;
    // Some are on their way to a runner by now: it looks for itself.
    return unknown.map(({ ticket }) => ticket.executionId);
  }
}
