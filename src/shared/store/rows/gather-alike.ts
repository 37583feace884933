import type { DefinitionId, ExecutionId, WorkItemId } from '../../domain/ids.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';
import type { AlikeFailures, FailureMember, GroupedFailures } from '../readings/failures.ts';

/** A member of a group, with what is known of its group. */
export interface AlikeRecord<Instant> {
  /** Within its group: the latest is 1. */
  readonly rank: number;
  readonly count: number;
  readonly live: number;
  readonly first_at: Instant;
  readonly definition_id: DefinitionId;
  readonly workflow_id: string;
  readonly cause_key: number | null;
  /** These three are null of executions. */
  readonly node_id: string | null;
  readonly tool: string | null;
  readonly queue: WorkQueue | null;
  readonly execution_id: string;
  readonly work_item_id: WorkItemId | null;
  readonly error: string;
  readonly failed_at: Instant;
  readonly is_live: boolean | number;
}

interface Decoding<Instant> {
  readonly instant: (value: Instant) => string;
  readonly executionId: (value: string) => ExecutionId;
}

/** The members of a group follow each other, the latest first. `limit`: so many failures were grouped at most. */
export function gatherAlike<Instant>(
  records: readonly AlikeRecord<Instant>[],
  { limit, decoding }: { readonly limit: number; readonly decoding: Decoding<Instant> },
): GroupedFailures {
  const groups: (AlikeFailures & { readonly latest: FailureMember[] })[] = [];
  let read = 0;
  for (const record of records) {
    if (record.rank === 1) {
      groups.push(decodeGroup(record, decoding));
      read += record.count;
    }
    groups.at(-1)?.latest.push(decodeMember(record, decoding));
  }
  return { groups, isExact: read < limit };
}

function decodeGroup<Instant>(record: AlikeRecord<Instant>, { instant }: Decoding<Instant>) {
  const { node_id: nodeId, tool, queue } = record;
  return {
    definitionId: record.definition_id,
    workflowId: record.workflow_id,
    place: nodeId === null || tool === null || queue === null ? null : { nodeId, tool, queue },
    causeKey: record.cause_key,
    count: record.count,
    live: record.live,
    firstAt: instant(record.first_at),
    latest: [],
  };
}

function decodeMember<Instant>(
  record: AlikeRecord<Instant>,
  { instant, executionId }: Decoding<Instant>,
): FailureMember {
  return {
    executionId: executionId(record.execution_id),
    workItemId: record.work_item_id,
    error: record.error,
    failedAt: instant(record.failed_at),
    isLive: Boolean(record.is_live),
  };
}
