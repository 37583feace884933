import type { ExecutionId, TenantId, WorkItemId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { RetryPolicy } from './retry.ts';

/** Queues whose items are handed to workers over HTTP. */
export const WORKER_QUEUES = ['python_tool', 'java_tool', 'function'] as const;
export type WorkerQueue = (typeof WORKER_QUEUES)[number];
/** `engine`: run inside a scheduler process, never handed out over HTTP. */
export type WorkQueue = WorkerQueue | 'engine';

/**
 * The common fields of queued and leased items. The payload of an item for workers is stored
 * separately, once; the input of an engine item is computed again from the history.
 */
export interface WorkTicket {
  readonly workItemId: WorkItemId;
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly nodeId: string;
  readonly visit: number;
  /** From 0. */
  readonly attempt: number;
  readonly queue: WorkQueue;
  /** The queue that its node names, where known; absent: the default queue. */
  readonly queueName?: string;
  /** 0 is served first, then age decides. */
  readonly priority: number;
  readonly idempotencyKey: string;
  /** Longest time one attempt may run, heartbeats or not; null: no bound. */
  readonly nodeTimeoutMs: number | null;
  /** Longest wait in the queue before the attempt fails; null: no bound. */
  readonly scheduleToStartMs: number | null;
}

/** Age among items of the same priority; opaque. */
export interface QueuePlace {
  readonly seq: number;
  readonly queuedAt: string;
}

/** The part of an item for workers that never changes: kept until the execution is pruned. */
export interface WorkItemRecord {
  readonly workItemId: WorkItemId;
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly nodeId: string;
  readonly visit: number;
  readonly queue: WorkerQueue;
  /** The queue that its node names; absent: the default queue. */
  readonly queueName?: string;
  readonly idempotencyKey: string;
  /** Name of the tool for events, metrics and policies: `module.function` or `class.method`. */
  readonly tool: string;
  /** The claim's `payload`, as the worker gets it. */
  readonly payload: JsonObject;
  readonly retryPolicy: RetryPolicy;
  readonly heartbeatIntervalMs: number;
}
