import { executionIdFromUuid } from '../../../domain/ids.ts';
import type { GroupedFailures, GroupingOfFailures } from '../../readings/failures.ts';
import { type AlikeRecord, gatherAlike } from '../../rows/gather-alike.ts';
import { parseInstant } from '../rows.ts';
import type { Bind } from './write-criteria.ts';

/**
 * The failures that `read` lists in groups of alike ones, with how many there are and the latest of each.
 * Texts are compared byte by byte, as the rules of a language would take longer than all the rest. The order
 * of the members is that of their ranks, so that the server sorts once.
 */
export function writeAlike(
  read: string,
  { members, byMessage }: GroupingOfFailures,
  bind: Bind,
): string {
  return `
    select ${GROUP}, count(*) as count, count(*) filter (where r.is_live) as live, min(r.failed_at) as first_at,
      max(r.failed_at) as last_at, min(r.error) filter (where r.rank = 1) as error,
      json_agg(
        json_build_array(r.execution_id, r.work_item_id, r.error, r.failed_at::text, r.is_live)
        order by ${LATEST}
      ) filter (where r.rank <= ${bind(members)}::int4) as latest
    from (
      select r.*, row_number() over (partition by ${GROUP} order by ${LATEST}) as rank
      from (
        select f.definition_id, f.cause_key, f.workflow_id collate "C" as workflow_id,
          f.node_id collate "C" as node_id, f.tool collate "C" as tool, f.queue collate "C" as queue,
          f.execution_id, f.work_item_id, f.error, f.failed_at, f.is_live,
          case
            when f.cause_key is null or f.definition_id = any(${bind(byMessage)}::uuid[])
              then f.error collate "C"
          end as message
        from (${read}) f
      ) r
    ) r
    group by ${GROUP}`;
}

const GROUP = 'r.cause_key, r.definition_id, r.node_id, r.message, r.workflow_id, r.tool, r.queue';

const LATEST = 'r.failed_at desc, r.work_item_id desc, r.execution_id desc';

export function gatherRecords(
  records: readonly AlikeRecord<string>[],
  limit: number,
): GroupedFailures {
  return gatherAlike(records, { limit, decoding: DECODING });
}

const DECODING = {
  instant: (text: string) => text,
  failedAt: parseInstant,
  executionId: executionIdFromUuid,
};
