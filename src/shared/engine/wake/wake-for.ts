import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import { queueKeyOf } from '../../domain/work/queue-key.ts';
import { readQuotaQueue } from '../../domain/work/quota.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';
import { DETAIL_MARK, type Wake } from '../../ports/wake.ts';
import type { CommitPlan } from '../../store/commit.ts';
import { hasMessages } from '../../store/rows/webhook-messages.ts';
import { endedTopic } from './awaited-ends.ts';
import { QUOTAS_TOPIC, TIMERS_TOPIC, WEBHOOKS_TOPIC } from './wake-bus.ts';

/** Hints at everything a commit has made ready. Called once it is accepted, never before. */
export function wakeFor(wake: Wake, commit: CommitPlan, shard: number): void {
  const topics: string[] = [];
  if (commit.runnable === 'mark') topics.push(runTopic(shard));
  for (const start of commit.startsExecutions) {
    if (!start.waitsForPlace) topics.push(runTopic(start.shard));
  }
  for (const { ticket, record } of commit.newItems) {
    topics.push(itemTopic({ ...ticket, tool: record?.tool ?? null }));
  }
  for (const { ticket, delayMs } of commit.retries) {
    topics.push(delayMs === 0 ? queueTopic(ticket) : TIMERS_TOPIC);
  }
  // A released item is due, and goes to its queue like a retry.
  if (commit.waitingItems === 'release') topics.push(TIMERS_TOPIC);
  if (commit.startsTimers.length > 0 || commit.releasesTimers.length > 0) {
    topics.push(TIMERS_TOPIC);
  }
  if (commit.events.length > 0) topics.push(eventsTopic(commit.executionId));
  if (commit.status !== null && isTerminal(commit.status)) {
    topics.push(endedTopic(commit.executionId));
  }
  if (takesWorkBack(commit)) topics.push(cancelledTopic(commit.executionId));
  if (hasMessages(commit)) topics.push(WEBHOOKS_TOPIC);
  if (topics.length > 0) wake.notify([...new Set(topics)]);
}

/** Cancelled, or only finalizers follow. */
function takesWorkBack({ status, revokesAll }: CommitPlan): boolean {
  return status === 'cancelled' || (status === 'running' && revokesAll);
}

export function runTopic(shard: number): string {
  return `run:${shard}`;
}

export function eventsTopic(executionId: ExecutionId): string {
  return `events:${executionId}`;
}

/** A cancel, for the process that runs the execution: its items are of no use any more. */
export function cancelledTopic(executionId: ExecutionId): string {
  return `cancelled:${executionId}`;
}

/** The default queue of a type, unless a name is given. Nobody claims from a queue below a quota. */
export function queueTopic(of: {
  readonly tenantId: TenantId;
  readonly queue: WorkQueue;
  readonly queueName?: string | undefined;
}): string {
  const key = queueKeyOf(of);
  return readQuotaQueue(key) === null ? topicOfKey(key) : QUOTAS_TOPIC;
}

/** By the key of the queue. */
export function topicOfKey(key: string): string {
  return `queue:${key}`;
}

/** The key of a queue by its topic. */
export function keyOfTopic(topic: string): string {
  return topic.slice(topicOfKey('').length);
}

/** With the tool at its end, so that only those wake up who claim it; see `Wake.subscribe`. */
function itemTopic(of: Parameters<typeof queueTopic>[0] & { readonly tool: string | null }) {
  const topic = queueTopic(of);
  if (topic === QUOTAS_TOPIC) return topic;
  return of.tool !== null && TELLABLE.test(of.tool) ? `${topic}${DETAIL_MARK}${of.tool}` : topic;
}

/** Users choose the names of tools; a hint omits a name that does not fit. */
const TELLABLE = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
