import { BoundedMap } from '../../domain/bounded-map.ts';
import type { TenantId } from '../../domain/ids.ts';
import { DETAIL_MARK, type Wake } from '../../ports/wake.ts';
import type { AwaitedLine } from '../../store/commit.ts';
import { BREAKS_TOPIC, PLACES_TOPIC, WAITS_TOPIC } from '../wake/wake-bus.ts';

/*
 * Decides which ends of executions a process announces, because somebody waits for their places.
 *
 * The process that looks at the waits says who waits, at most once a second and at least at every look at
 * rest. The others keep what they hear for `KEPT_MS`, longer than the looks are apart. So ends of executions
 * for whose places nobody waits cost nothing, and a process that misses a message hears the next one. An end
 * that a process announces too late, or not at all, is found by a later look.
 */

/** One end makes room for those who wait with the same name. */
export interface WaitingName {
  readonly tenantId: TenantId;
  /** Null: any execution of the tenant has a place that they wait for. */
  readonly workflowId: string | null;
}

export interface SeenName extends WaitingName {
  /** Perhaps nobody waits after that: the next look tells. */
  readonly hasBegun: boolean;
}

export interface AwaitedPlaces {
  /** An execution of this process waits from now on. */
  add(name: WaitingName): void;
  /** A look has found all that wait. The others hear of them, except of lines in which one has just begun. */
  see(names: readonly SeenName[]): void;
  /** Whether an execution that ends makes room for somebody, as far as this process knows. */
  has(ended: WaitingName, room?: AwaitedLine): boolean;
}

export function createAwaitedPlaces({
  wake,
  now,
}: {
  readonly wake: Wake;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}): AwaitedPlaces {
  /** Each name, with the time until which it is kept. */
  const known = new BoundedMap<string, number>(KNOWN_MAX);
  let anyUntil = -Infinity;
  let said: ReadonlySet<string> = new Set();
  let saidAt = -Infinity;

  wake.subscribeToDetails(WAITS_TOPIC, (details) => {
    const until = now() + KEPT_MS;
    for (const detail of details) {
      if (detail === null) anyUntil = until;
      else known.set(detail, until);
    }
  });

  // It has perhaps missed who waits, and the process that looks then says it.
  let askedAt = -Infinity;
  wake.subscribe(BREAKS_TOPIC, () => {
    if (now() - askedAt < SAID_AGAIN_MS) return;
    askedAt = now();
    wake.notify([PLACES_TOPIC]);
  });

  function say(texts: ReadonlySet<string>): void {
    if (now() - saidAt < SAID_AGAIN_MS && [...texts].every((text) => said.has(text))) return;
    said = texts;
    saidAt = now();
    const topics = [...texts].map((text) => WAITS_TOPIC + DETAIL_MARK + text);
    wake.notify(topics.length > SAID_MAX ? [WAITS_TOPIC] : topics);
  }

  return {
    add: (name) => void known.set(textOf(name), now() + KEPT_MS),

    see(names) {
      known.clear();
      anyUntil = -Infinity;
      for (const name of names) known.set(textOf(name), now() + KEPT_MS);
      const texts = new Set(names.filter(({ hasBegun }) => !hasBegun).map(textOf));
      if (texts.size > 0) say(texts);
    },

    has({ tenantId, workflowId }, { roomInKey, roomInTenant } = ALL_ROOM) {
      if (now() < anyUntil) return roomInKey || roomInTenant;
      const names = [
        ...(roomInTenant ? [{ tenantId, workflowId: null }] : []),
        ...(roomInKey ? [{ tenantId, workflowId }] : []),
      ];
      return names.some((name) => now() < (known.get(textOf(name)) ?? -Infinity));
    },
  };
}

/** An execution that did not end in a line leaves all of it. */
const ALL_ROOM: AwaitedLine = { roomInKey: true, roomInTenant: true };

/** Three looks at rest. */
const KEPT_MS = 30_000;
const SAID_AGAIN_MS = 1_000;
/** Beyond that, the others hear that anybody may wait. */
const SAID_MAX = 100;
const KNOWN_MAX = 10_000;

/** Ids of tenants have no slash. */
function textOf({ tenantId, workflowId }: WaitingName): string {
  return workflowId === null ? tenantId : `${tenantId}/${workflowId}`;
}
