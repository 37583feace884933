import { lineStart } from '../../../domain/workflow/flow/flow-key.ts';
import type { DefinitionStore } from '../../definitions.ts';
import type { Connection } from '../connection/connect.ts';

/** Gives the executions of a workflow that wait its new limits, see `limitWaitsOf` of PostgreSQL. */
export function limitWaits(
  connection: Connection,
  params: Parameters<DefinitionStore['register']>[0],
): void {
  const { tenantId, workflowId, waitLimits } = params;
  if (waitLimits === undefined) return;
  connection.run(LIMIT_WAITS, {
    tenant_id: tenantId,
    line_start: lineStart(workflowId),
    places_max: waitLimits.placesMax,
    interval_us: waitLimits.intervalUs,
    burst: waitLimits.burst,
  });
}

const LIMIT_WAITS = `
  update flow_waits
  set places_max = case
      when due_at is null and places_max is not null and keeps_limit = 0 then :places_max
      else places_max
    end,
    interval_us = case
      when bucket_key is not null and keeps_rate = 0 then :interval_us
      else interval_us
    end,
    burst = case when bucket_key is not null and keeps_rate = 0 then :burst else burst end,
    next_line = json_set(
      next_line,
      '$.places_max', case
        when keeps_limit = 1 then next_line ->> 'places_max'
        when next_line ->> 'places_max' is not null then :places_max
      end,
      '$.interval_us', case
        when keeps_rate = 1 then next_line ->> 'interval_us'
        when next_line ->> 'bucket_key' is not null then :interval_us
      end,
      '$.burst', case
        when keeps_rate = 1 then next_line ->> 'burst'
        when next_line ->> 'bucket_key' is not null then :burst
      end
    )
  where tenant_id = :tenant_id
    and substr(place_key, 1, length(:line_start)) = :line_start
    and batch_bytes is null
    and (
      next_line is not null
      or (due_at is null and keeps_limit = 0 and places_max <> :places_max)
      or (keeps_rate = 0 and interval_us <> :interval_us)
      or (keeps_rate = 0 and burst <> :burst)
    )`;
