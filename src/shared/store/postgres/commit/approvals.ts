import type { Has, Param } from './parts.ts';

/**
 * The list of approvals, as the events of accepted plans change it; see `approvalChangesOf`. The
 * parts see the list as it was, and no row is changed by two of them.
 */
export function approvalParts(has: Has, $: Param): string[] {
  if (!has('approvals')) return [];
  const here = `p.execution_id = any(${$.array('approvals', 'execution_id')})
          and p.decided_at is null`;
  return [
    `decided_approvals as (
        update approvals p
        set decided_sequence = a.base + c.sequence,
          decided_at = a.stamp
        from ${$.table('approvals', 'c')}
        join accepted a on a.position = c.position
        where ${here}
          and p.execution_id = a.id
          and c.change = 'decide'
          and ${isSameWait('c')}
      )`,
    `closed_approvals as (
        delete from approvals p
        using accepted a
        where ${here}
          and p.execution_id = a.id
          and exists (
            select
            from ${$.table('approvals', 'c')}
            where c.position = a.position
              and (
                (c.change = 'ask' and ${isSameWait('c')})
                or (
                  c.change = 'close'
                  and (
                    c.node_id is null
                    or (
                      p.node_id = c.node_id
                      and p.visit = c.visit
                      and (c.step is null or p.step = c.step)
                    )
                  )
                )
              )
          )
          and not exists (
            select
            from ${$.table('approvals', 'd')}
            where d.position = a.position
              and d.change = 'decide'
              and ${isSameWait('d')}
          )
      )`,
    `asked_approvals as (
        insert into approvals (
          execution_id, sequence, tenant_id, node_id, visit, step, requested_at
        )
        select a.id, a.base + c.sequence, a.tenant_id, c.node_id, c.visit, c.step, a.stamp
        from ${$.table('approvals', 'c')}
        join accepted a on a.position = c.position
        where c.change = 'ask'
      )`,
  ];
}

function isSameWait(change: string): string {
  return `p.node_id = ${change}.node_id
          and p.visit = ${change}.visit
          and p.step is not distinct from ${change}.step`;
}
