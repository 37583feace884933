import { executionIdFromUuid } from '../../../domain/ids.ts';
import type { GroupedFailures, GroupingOfFailures } from '../../readings/failures.ts';
import { type AlikeRecord, gatherAlike } from '../../rows/gather-alike.ts';
import type { Bind } from './write-criteria.ts';

/**
 * The failures that `read` lists in groups of alike ones, with how many there are and the latest of each.
 * Texts are compared byte by byte, as the rules of a language would take longer than all the rest.
 */
export function writeAlike(
  read: string,
  { members, byMessage }: GroupingOfFailures,
  bind: Bind,
): string {
  return `
    select ${COLUMNS}
    from (
      select r.*,
        row_number() over alike as rank,
        count(*) over alike as count,
        count(*) filter (where r.is_live) over alike as live,
        min(r.failed_at) over alike as first_at
      from (
        select f.*,
          case
            when f.cause_key is null or f.definition_id = any(${bind(byMessage)}::uuid[]) then f.error
          end as message
        from (${read}) f
      ) r
      window alike as (
        partition by ${GROUP}
        order by ${LATEST}
        rows between unbounded preceding and unbounded following
      )
    ) r
    where r.rank <= ${bind(members)}::int4
    order by ${GROUP}, ${LATEST}`;
}

const COLUMNS = `r.rank, r.count, r.live, r.first_at, r.definition_id, r.workflow_id, r.cause_key, r.node_id,
      r.tool, r.queue, r.execution_id, r.work_item_id, r.error, r.failed_at, r.is_live`;

const GROUP = `r.cause_key, r.definition_id, r.node_id collate "C", r.message collate "C",
          r.workflow_id collate "C", r.tool collate "C", r.queue collate "C"`;

const LATEST = 'r.failed_at desc, r.work_item_id desc, r.execution_id desc';

export function gatherRecords(
  records: readonly AlikeRecord<string>[],
  limit: number,
): GroupedFailures {
  return gatherAlike(records, { limit, decoding: DECODING });
}

const DECODING = { instant: (text: string) => text, executionId: executionIdFromUuid };
