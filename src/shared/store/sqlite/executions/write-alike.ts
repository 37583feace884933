import type { ExecutionId } from '../../../domain/ids.ts';
import type { GroupedFailures, GroupingOfFailures } from '../../readings/failures.ts';
import { type AlikeRecord, gatherAlike } from '../../rows/gather-alike.ts';
import type { Bindable } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

/** The failures that `read` lists in groups of alike ones, with how many there are and the latest of each. */
export function writeAlike(
  read: string,
  { members, byMessage }: GroupingOfFailures,
): { readonly text: string; readonly bindings: Readonly<Record<string, Bindable>> } {
  return {
    text: `
      select ${GROUP}, count(*) as count, count(*) filter (where r.is_live) as live,
        min(r.failed_at) as first_at, max(r.failed_at) as last_at,
        min(r.error) filter (where r.rank = 1) as error,
        json_group_array(
          json_array(r.execution_id, r.work_item_id, r.error, r.failed_at, r.is_live)
          order by r.rank
        ) filter (where r.rank <= :members) as latest
      from (
        select r.*, row_number() over (partition by ${GROUP} order by ${LATEST}) as rank
        from (
          select f.*,
            case
              when f.cause_key is null or f.definition_id in (select value from json_each(:by_message))
                then f.error
            end as message
          from (${read}) f
        ) r
      ) r
      group by ${GROUP}`,
    bindings: { members, by_message: JSON.stringify(byMessage) },
  };
}

const GROUP = 'r.cause_key, r.definition_id, r.node_id, r.message, r.workflow_id, r.tool, r.queue';

const LATEST = 'r.failed_at desc, r.work_item_id desc, r.execution_id desc';

export function gatherRecords(
  records: readonly AlikeRecord<number>[],
  limit: number,
): GroupedFailures {
  return gatherAlike(records, { limit, decoding: DECODING });
}

const DECODING = {
  instant: toIso,
  failedAt: toIso,
  executionId: (id: string) => id as ExecutionId,
};
