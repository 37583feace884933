/*
 * How much more this process takes on.
 *
 * Executions advance while fewer than `UNDER_WAY_MAX` are under way. Items of in-engine nodes begin while
 * there is room for them, and while no older ones wait on the queue, which they would overtake. An item
 * without room goes to the queue, and so do all that follow it, until a claim has taken everything from
 * there. After a claim that has left items, tenants take turns, so none waits for all items of another.
 *
 * The store knows nothing of this: a wrong guess only delays an item. A new process assumes that items wait.
 */

/** Executions that a process advances at a time. The others stay marked, for a later round. */
const UNDER_WAY_MAX = 1_000;
/**
 * So many that run no item advance in any case. Otherwise slow calls of one tenant would hold up the
 * timers and children of all others. Their items wait on the queue.
 */
const DECIDED_MAX = 100;

export class Room {
  #itemsMax = UNDER_WAY_MAX;
  /** Items may wait on the queue: for room, or since before this process came. */
  #mayItemsWait = true;
  /** The last claim has not taken all. */
  #hasLeftItems = true;
  /** How many items this process has left to the queue. */
  #sent = 0;

  /** From now on items begin while fewer than so many executions are under way. */
  limitItems(itemsMax: number): void {
    this.#itemsMax = itemsMax;
  }

  /** How many more executions may advance. `countDecided`: those under way that run no item. */
  forExecutions(of: { readonly underWay: number; readonly countDecided: () => number }): number {
    const room = Math.min(UNDER_WAY_MAX, this.#itemsMax) - of.underWay;
    return Math.max(0, room, room < DECIDED_MAX ? DECIDED_MAX - of.countDecided() : 0);
  }

  /** Whether an execution may begin items here beside so many others. If not, they go to the queue. */
  takesItems(others: number): boolean {
    if (!this.#mayItemsWait && others < this.#itemsMax) return true;
    this.#sent += 1;
    this.#mayItemsWait = true;
    return false;
  }

  beginClaim(): ClaimOfItems {
    const inTurns = this.#hasLeftItems;
    const sentBefore = this.#sent;
    // While items are left, nothing overtakes them during a claim.
    this.#mayItemsWait = inTurns;
    this.#hasLeftItems = true;
    return {
      inTurns,
      end: ({ tookAll }) => {
        this.#hasLeftItems = !tookAll;
        this.#mayItemsWait = !tookAll || this.#sent > sentBefore;
      },
    };
  }
}

/** A claim of items from the queue, under way. */
export interface ClaimOfItems {
  /** Tenants take turns: the claim before has left items, or its outcome is unknown. */
  readonly inTurns: boolean;
  /** A claim that has failed counts as one that has left items. */
  end(claimed: { readonly tookAll: boolean }): void;
}
