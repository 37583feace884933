import type { TenantId } from '../../domain/ids.ts';
import { DETAIL_MARK, type Wake } from '../../ports/wake.ts';
import type { RemoteWake } from '../../store/store.ts';
import { createAwaitedEnds } from './awaited-ends.ts';

/** Wakes everyone when notified; hears everything when subscribed to. */
export const EVERY_TOPIC = '*';

/** A timer or a retry was set: the next one due may be nearer than thought. */
export const TIMERS_TOPIC = 'timers';

/** A commit may have written messages to webhooks. */
export const WEBHOOKS_TOPIC = 'webhooks';

/** A schedule was made or changed: the next fire may be nearer than thought. */
export const SCHEDULES_TOPIC = 'schedules';

/** A workflow was paused or resumed: its executions must be held or released. */
export const PAUSES_TOPIC = 'pauses';

/** A child waits for a place of its tenant's limit, or one may have come free. */
export const PLACES_TOPIC = 'places';

/** Somebody waits for a place: see `admission/awaited-places.ts`. It says what is, so it wakes nobody else. */
export const WAITS_TOPIC = 'waits';

/** An item waits for a place of a quota, or one may have come free. */
export const QUOTAS_TOPIC = 'quotas';

/** Schedulers came or went: shards should be distributed again. */
export const SCHEDULERS_TOPIC = 'schedulers';

/** A token was revoked or rotated: processes that remember it must look it up again. */
export const TOKENS_TOPIC = 'tokens';

/** A tenant was made or changed: processes that remember it must look it up again. */
export const TENANTS_TOPIC = 'tenants';

/**
 * The database may be at an earlier moment than before: processes forget what they know of executions.
 * Nobody sends this topic. A process hears it, as every topic, when it listens again after a break,
 * and a restore or a failover breaks each connection.
 */
export const BREAKS_TOPIC = 'breaks';

/** With the id of the token, which is no secret. */
export function tokenTopic(tokenId: string): string {
  return TOKENS_TOPIC + DETAIL_MARK + tokenId;
}

export function tenantTopic(tenantId: TenantId): string {
  return TENANTS_TOPIC + DETAIL_MARK + tenantId;
}

export interface WakeBus extends Wake {
  /** Hands topics of other processes to the listeners here; they are not sent on. */
  deliver(topics: readonly string[]): void;
  /** From now on local topics that concern other processes go to `send` as well. */
  forwardTo(send: (topics: readonly string[]) => void): void;
}

/**
 * Wake-ups within a process, and the way out to the others.
 *
 * Topics gather until the current task has run out and are then delivered in one microtask, so a
 * commit of 500 plans wakes a listener once, and a listener never runs inside the notifier's own
 * call. Nothing here throws and nothing grows: a listener that throws is reported and the rest are
 * still called; when more distinct topics are waiting than `PENDING_MAX`, everyone is woken
 * instead, which is always right because a hint may come for nothing.
 */
export function createWakeBus(
  options: { readonly onListenerError?: (error: unknown) => void } = {},
): WakeBus {
  const subscriptions = new Map<string, Set<Subscription>>();
  const pending = new Set<string>();
  const ends = createAwaitedEnds();
  let forward: ((topics: readonly string[]) => void) | null = null;

  function collect(topics: readonly string[]): void {
    if (topics.length === 0) return;
    if (pending.size === 0) queueMicrotask(flush);
    for (const topic of topics) pending.add(topic);
    if (pending.size > PENDING_MAX) {
      pending.clear();
      pending.add(EVERY_TOPIC);
    }
  }

  function flush(): void {
    const woken = wokenBy(pending);
    pending.clear();
    for (const { listener } of woken) call(listener);
  }

  /** Each subscription once, however many of its topics came. */
  function wokenBy(topics: ReadonlySet<string>): ReadonlySet<Subscription> {
    const woken = new Set<Subscription>();
    const everyone = topics.has(EVERY_TOPIC);
    let isNews = false;
    if (everyone) {
      // It says nothing of who waits.
      for (const topic of subscriptions.keys()) if (topic !== WAITS_TOPIC) add(topic, null);
    }
    for (const said of topics) {
      const mark = said.indexOf(DETAIL_MARK);
      const topic = mark < 0 ? said : said.slice(0, mark);
      const isWaits = topic === WAITS_TOPIC;
      isNews ||= !isWaits;
      if (isWaits || !everyone) add(topic, mark < 0 ? null : said.slice(mark + 1));
    }
    if (isNews) add(EVERY_TOPIC, null);
    return woken;

    function add(topic: string, detail: string | null): void {
      const ofTopic = subscriptions.get(topic);
      if (ofTopic === undefined) return;
      for (const each of ofTopic) {
        if (detail !== null && !each.accepts(detail)) continue;
        each.gather?.(detail);
        woken.add(each);
      }
    }
  }

  function subscribe(topic: string, entry: Subscription): () => void {
    const ofTopic = subscriptions.get(topic) ?? new Set();
    subscriptions.set(topic, ofTopic.add(entry));
    return () => {
      ofTopic.delete(entry);
      if (ofTopic.size === 0 && subscriptions.get(topic) === ofTopic) subscriptions.delete(topic);
    };
  }

  function sendOn(topics: readonly string[]): void {
    if (forward === null || topics.length === 0) return;
    const send = forward;
    call(() => send(topics));
  }

  function call(action: () => void): void {
    try {
      action();
    } catch (error) {
      options.onListenerError?.(error);
    }
  }

  return {
    notify(topics) {
      collect(topics);
      if (forward === null) return;
      sendOn(topics.filter((topic) => concernsOthers(topic) || ends.concernsOthers(topic)));
    },
    subscribe: (topic, listener, accepts = acceptAll) => subscribe(topic, { listener, accepts }),
    subscribeToDetails(topic, listener) {
      const details = new Set<string | null>();
      return subscribe(topic, {
        accepts: acceptAll,
        gather: (detail) => details.add(detail),
        listener() {
          const gathered = [...details];
          details.clear();
          listener(gathered);
        },
      });
    },
    deliver(topics) {
      collect(topics);
      sendOn(ends.answersTo(topics));
    },
    forwardTo(send) {
      forward = send;
    },
  };
}

/** Two subscriptions of one function are two. */
interface Subscription {
  readonly listener: () => void;
  readonly accepts: (detail: string) => boolean;
  /** Called with each detail before the listener; absent: it takes none. */
  readonly gather?: (detail: string | null) => void;
}

const acceptAll = () => true;

/** Joins the bus to the other processes: its topics go out, theirs come in, none comes back. */
export async function connectRemoteWake(params: {
  readonly bus: WakeBus;
  readonly remote: RemoteWake;
}): Promise<void> {
  params.bus.forwardTo((topics) => params.remote.send(topics));
  await params.remote.listen((topics) => params.bus.deliver(topics));
}

const PENDING_MAX = 4096;
const SHARED_TOPICS = new Set([
  TIMERS_TOPIC,
  SCHEDULES_TOPIC,
  PAUSES_TOPIC,
  PLACES_TOPIC,
  WAITS_TOPIC,
  QUOTAS_TOPIC,
  SCHEDULERS_TOPIC,
  TOKENS_TOPIC,
  TENANTS_TOPIC,
]);

/**
 * `events:` stays here: readers of an event stream poll, and telling every process about every
 * event would cost more than it saves.
 */
function concernsOthers(topic: string): boolean {
  if (topic.startsWith('run:') || topic.startsWith('queue:')) return true;
  return SHARED_TOPICS.has(withoutDetail(topic));
}

function withoutDetail(topic: string): string {
  const mark = topic.indexOf(DETAIL_MARK);
  return mark < 0 ? topic : topic.slice(0, mark);
}
