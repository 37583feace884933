import { ticketColumns } from '../rows.ts';

/*
 * Leases lie in `leases`, where a commit moves them from item to item in place. That table inherits
 * `work_leases`: a statement on `work_leases` finds those of older processes too, which lie there.
 * No index of `leases` has the item, so every statement names the execution beside it.
 */

/**
 * The leases whose time is over at an instant: those that older processes began by their end, the others
 * by the time before which nobody needs to look. No index holds their end, which changes with each move.
 */
export function lapsedLeases(instant: string): string {
  const columns = `${ticketColumns('o')}, o.worker_id, o.lease_fence, o.claimed_at, o.expires_at, o.deadline_at`;
  return `(
      select ${columns}
      from only work_leases o
      where o.expires_at <= ${instant}
      union all
      select ${columns}
      from leases o
      where o.look_at <= ${instant}
        and o.expires_at <= ${instant}
    )`;
}

/** The columns of a new lease in `leases`, of which some leases have more. */
export function leaseInsertColumns(): string {
  return `${ticketColumns()}, worker_id, lease_fence, claimed_at, expires_at, deadline_at, look_at`;
}

/** When a lease of `ms` ends, and when the time of its attempt is over, if it begins at an instant. */
export function expiryOf(
  ticket: string,
  instant: string,
  ms = `${ticket}.ms`,
): { readonly expiresAt: string; readonly deadlineAt: string } {
  return {
    expiresAt: `${instant} + least(${ms}, ${ticket}.node_timeout_ms) * interval '1 millisecond'`,
    deadlineAt: `${instant} + ${ticket}.node_timeout_ms * interval '1 millisecond'`,
  };
}
