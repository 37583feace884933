import type { ReplyOf } from '../../api/client.ts';

export type Policy = ReplyOf<'list-retention-policies'>['policies'][number];
export type Preview = ReplyOf<'preview-retention'>;
export type Days = Omit<Policy, 'workflow_id'>;

/** How long a preview looks: a person waits for it. */
export const PREVIEW_SEARCH_MS = 500;

export const ENDS = [
  { key: 'completed_days', label: 'Completed' },
  { key: 'failed_days', label: 'Failed' },
  { key: 'cancelled_days', label: 'Cancelled' },
] as const;

/** Days of a policy as a person reads them; null: a less specific policy decides. */
export function tellDays(days: number | null): string {
  if (days === null) return 'as a broader policy';
  return days === 0 ? 'kept forever' : `${days} days`;
}

export function nameOf({ workflow_id: id }: Pick<Policy, 'workflow_id'>): string {
  return id ?? 'all workflows';
}
