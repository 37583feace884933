import { type ClaimFilter, servesTool } from '../../domain/work/claim-filter.ts';
import type { BornLease, NewWorkItem } from '../../store/commit.ts';
import type { ClaimedItem } from '../../store/store.ts';
import { queueTopic } from '../wake/wake-for.ts';

/**
 * The claims that wait for an item in this process. A commit that makes an item may lease it to one of
 * them from birth: the item then never enters its queue, and no other process learns of it.
 *
 * A claim waits here only after it has found its queues empty, so an item that is given this way hardly
 * ever overtakes another.
 */
export interface WaitingClaims {
  /** The claim takes items from now on. */
  open(claim: WaitingClaim): OpenClaim;
  /** A place with the claim that has waited longest for such an item; null: none waits. */
  reserve(item: NewWorkItem): ReservedPlace | null;
}

export interface WaitingClaim {
  /** The topics of its queues; see `queueTopic`. */
  readonly topics: readonly string[];
  readonly filter: ClaimFilter;
  readonly workerId: string;
  readonly claimId: string | null;
  readonly maxItems: number;
  /** Called with each item that it is given. */
  readonly onGiven: () => void;
}

export interface OpenClaim {
  /** Takes no further items, waits for those of commits under way, and tells which came. */
  close(): Promise<readonly BornItem[]>;
}

/** An item that the commit which made it leased to a claim of this process. */
export interface BornItem extends ClaimedItem {
  /** The sequence of its execution after that commit. */
  readonly bornAt: number;
}

export interface ReservedPlace {
  readonly lease: Pick<BornLease, 'leaseTo' | 'claimId'>;
  /** The commit is accepted. */
  give(item: BornItem): void;
  /** The claim does not get the item. */
  free(): void;
}

interface Place {
  readonly claim: WaitingClaim;
  readonly given: BornItem[];
  reserved: number;
  onIdle: (() => void) | null;
}

export function createWaitingClaims(): WaitingClaims {
  const waiting = new Map<string, Set<Place>>();

  function settle(place: Place): void {
    place.reserved -= 1;
    if (place.reserved === 0) place.onIdle?.();
  }

  return {
    open(claim) {
      const place: Place = { claim, given: [], reserved: 0, onIdle: null };
      const { topics } = claim;
      for (const topic of topics) addTo(waiting, topic, place);
      return {
        async close() {
          for (const topic of topics) removeFrom(waiting, topic, place);
          if (place.reserved > 0) await new Promise<void>((idle) => (place.onIdle = idle));
          return place.given;
        },
      };
    },
    reserve({ ticket, record }) {
      if (record === null) return null;
      for (const place of waiting.get(queueTopic(ticket)) ?? []) {
        const { claim, given } = place;
        const hasRoom = given.length + place.reserved < claim.maxItems;
        if (!hasRoom || !servesTool(claim.filter, record.tool)) continue;
        place.reserved += 1;
        const { workerId: leaseTo, claimId } = claim;
        return {
          lease: { leaseTo, ...(claimId !== null && { claimId }) },
          give(item) {
            given.push(item);
            claim.onGiven();
            settle(place);
          },
          free: () => settle(place),
        };
      }
      return null;
    },
  };
}

function addTo(waiting: Map<string, Set<Place>>, topic: string, place: Place): void {
  const places = waiting.get(topic) ?? new Set();
  waiting.set(topic, places.add(place));
}

function removeFrom(waiting: Map<string, Set<Place>>, topic: string, place: Place): void {
  const places = waiting.get(topic);
  places?.delete(place);
  if (places?.size === 0) waiting.delete(topic);
}
