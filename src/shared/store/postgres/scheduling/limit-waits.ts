import { sql } from 'slonik';

import { lineStart } from '../../../domain/workflow/flow/flow-key.ts';
import type { DefinitionStore } from '../../definitions.ts';

/**
 * Gives the executions of a workflow that wait its new limits, in the statement that registers a definition
 * (`added`). Limits that the executions brought themselves stay. Batches keep their size: their executions read the limits when they close. It skips waits that
 * another transaction changes, most of which are about to begin.
 */
export function limitWaitsOf({
  workflowId,
  waitLimits,
}: Pick<Parameters<DefinitionStore['register']>[0], 'workflowId' | 'waitLimits'>) {
  if (waitLimits === undefined) return sql.fragment`select`;
  const { placesMax, intervalUs, burst } = waitLimits;
  return sql.fragment`
    update flow_waits w
    set places_max = case
        when w.due_at is null and w.places_max is not null and not w.keeps_limit
          then ${placesMax}::int4
        else w.places_max
      end,
      interval_us = case
        when w.bucket_key is not null and not w.keeps_rate then ${intervalUs}::int8
        else w.interval_us
      end,
      burst = case
        when w.bucket_key is not null and not w.keeps_rate then ${burst}::int4
        else w.burst
      end,
      next_line = (
        w.next_line::jsonb
        || case when w.keeps_limit then '{}' else jsonb_build_object(
          'places_max', case
            when w.next_line::jsonb ->> 'places_max' is not null then ${placesMax}::int4
          end
        ) end
        || case when w.keeps_rate then '{}' else jsonb_build_object(
          'interval_us', case
            when w.next_line::jsonb ->> 'bucket_key' is not null then ${intervalUs}::int8
          end,
          'burst', case
            when w.next_line::jsonb ->> 'bucket_key' is not null then ${burst}::int4
          end
        ) end
      )::text
    where w.execution_id = any(array(
      select f.execution_id
      from added a
      join flow_waits f on f.tenant_id = a.tenant_id
      where starts_with(f.place_key, ${lineStart(workflowId)})
        and f.batch_bytes is null
        and (
          f.next_line is not null
          or (f.due_at is null and not f.keeps_limit and f.places_max <> ${placesMax}::int4)
          or (not f.keeps_rate and f.interval_us <> ${intervalUs}::int8)
          or (not f.keeps_rate and f.burst <> ${burst}::int4)
        )
      for update of f skip locked
    ))`;
}
