import type { Search } from '../../app/search.ts';

/** The filters of the list, as the API takes them. */
export interface AuditFilter {
  readonly actor_id: string | undefined;
  readonly event_type: string | undefined;
  readonly execution_id: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export function readFilter(search: Search): AuditFilter {
  return {
    actor_id: search.actor,
    event_type: search.action,
    execution_id: search.execution,
    since: toInstant(search.since),
    until: toInstant(search.until),
  };
}

/** A field for a time holds it without a zone: it is the browser's. Other texts filter nothing. */
function toInstant(text: string | undefined): string | undefined {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
