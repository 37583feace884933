import type { ReplyOf } from '../../api/client.ts';

export type Webhook = ReplyOf<'list-webhooks'>['webhooks'][number];
export type Delivery = ReplyOf<'list-deliveries'>['deliveries'][number];

export const EVENT_TYPES = [
  'execution.running',
  'execution.paused',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'approval.requested',
  'work_item.dead_lettered',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export function describeEvents({ event_types: types }: Pick<Webhook, 'event_types'>): string {
  return types === null ? 'all events' : types.join(', ');
}
