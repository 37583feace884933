import type { JsonObject } from '../../domain/json.ts';
import { readJson, sendRequest, type ApiRequest, type ApiTarget } from './request.ts';

export interface WireSchedule {
  readonly schedule_id: string;
  readonly name: string;
  readonly workflow_id: string;
  readonly cron_expression: string | null;
  readonly every: string | null;
  readonly timezone: string;
  readonly paused: boolean;
  readonly next_fires: readonly string[];
  readonly last_fire_at: string | null;
  readonly last_error: string | null;
}

export interface WireWebhook {
  readonly webhook_id: string;
  readonly url: string;
  readonly event_types: readonly string[] | null;
  readonly status: string;
  readonly created_at: string;
}

export interface WireDelivery {
  readonly id: string;
  readonly execution_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

export interface WireDeliveries {
  readonly deliveries: readonly WireDelivery[];
  readonly next_cursor: string | null;
}

export interface WireBackfill {
  readonly fires: readonly {
    readonly fire_at: string;
    readonly execution_id: string;
    readonly outcome: 'started' | 'existed' | 'would_start';
  }[];
  readonly next_from: string | null;
  readonly stopped_by: string | null;
}

/** Client of the schedules and webhooks of a runtime. Throws ApiError and ApiUnreachableError. */
export interface ManagementClient {
  listSchedules(query: Query): Promise<{ readonly schedules: readonly WireSchedule[] }>;
  readSchedule(schedule: string): Promise<WireSchedule>;
  createSchedule(body: JsonObject): Promise<WireSchedule>;
  updateSchedule(schedule: string, changes: JsonObject): Promise<WireSchedule>;
  deleteSchedule(schedule: string): Promise<WireSchedule>;
  /** The same key starts the same execution. */
  triggerSchedule(
    schedule: string,
    idempotencyKey: string,
  ): Promise<{ readonly execution_id: string }>;
  /** Those of a time that has passed; a repeat starts none of them again. */
  backfillSchedule(schedule: string, body: JsonObject): Promise<WireBackfill>;
  previewSchedule(body: JsonObject): Promise<{ readonly next_fires: readonly string[] }>;
  listWebhooks(): Promise<{ readonly webhooks: readonly WireWebhook[] }>;
  createWebhook(body: JsonObject): Promise<WireWebhook & { readonly secret: string }>;
  deleteWebhook(webhookId: string): Promise<WireWebhook>;
  listDeliveries(webhookId: string, query: Query): Promise<WireDeliveries>;
  redeliver(webhookId: string, messageId: string): Promise<{ readonly id: string }>;
}

type Query = Readonly<Record<string, string | number | null>>;

const ANSWER_MS_MAX = 60_000;

export function createManagementClient(target: ApiTarget): ManagementClient {
  /** `member` is one that every such answer holds. */
  async function call<Body>(member: string & keyof Body, request: ApiRequest): Promise<Body> {
    const signal = AbortSignal.timeout(target.answerMsMax ?? ANSWER_MS_MAX);
    return readJson<Body>(target, await sendRequest(target, { ...request, signal }), member);
  }

  return {
    listSchedules: (query) => call('schedules', { method: 'GET', path: '/schedules', query }),
    readSchedule: (id) => call('schedule_id', { method: 'GET', path: schedulePath(id) }),
    createSchedule: (body) => call('schedule_id', { method: 'POST', path: '/schedules', body }),
    updateSchedule: (id, body) =>
      call('schedule_id', { method: 'PUT', path: schedulePath(id), body }),
    deleteSchedule: (id) => call('schedule_id', { method: 'DELETE', path: schedulePath(id) }),
    triggerSchedule: (id, key) =>
      call('execution_id', {
        method: 'POST',
        path: `${schedulePath(id)}/trigger`,
        headers: { 'idempotency-key': key },
      }),
    backfillSchedule: (id, body) =>
      call('fires', { method: 'POST', path: `${schedulePath(id)}/backfill`, body }),
    previewSchedule: (body) =>
      call('next_fires', { method: 'POST', path: '/schedules/preview', body }),
    listWebhooks: () => call('webhooks', { method: 'GET', path: '/webhooks' }),
    createWebhook: (body) => call('secret', { method: 'POST', path: '/webhooks', body }),
    deleteWebhook: (id) => call('webhook_id', { method: 'DELETE', path: webhookPath(id) }),
    listDeliveries: (id, query) =>
      call('deliveries', { method: 'GET', path: `${webhookPath(id)}/deliveries`, query }),
    redeliver: (id, messageId) =>
      call('id', {
        method: 'POST',
        path: `${webhookPath(id)}/deliveries/${encodeURIComponent(messageId)}/redeliver`,
      }),
  };
}

function schedulePath(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}

function webhookPath(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`;
}
