import type { DefinitionId, ExecutionId, WorkItemId } from '../../domain/ids.ts';
import type { WorkQueue } from '../../domain/work/work-item.ts';
import type { AlikeFailures, FailureMember, GroupedFailures } from '../readings/failures.ts';

/** A group of alike failures; `Instant` is what the store has for a time. */
export interface AlikeRecord<Instant> {
  readonly count: number;
  readonly live: number;
  readonly first_at: Instant;
  readonly last_at: Instant;
  /** The message of the latest. */
  readonly error: string;
  readonly definition_id: DefinitionId;
  readonly workflow_id: string;
  readonly cause_key: number | null;
  readonly node_id: string | null;
  /** These two are null of executions. */
  readonly tool: string | null;
  readonly queue: WorkQueue | null;
  /**
   * The latest as JSON, an array for each: thousands of members as rows take many times as long to read,
   * each with what is known of its group.
   */
  readonly latest: string;
}

type MemberValues<Instant> = readonly [
  executionId: string,
  workItemId: WorkItemId | null,
  error: string,
  failedAt: Instant,
  isLive: boolean | number,
];

interface Decoding<Instant> {
  readonly instant: (value: Instant) => string;
  readonly failedAt: (value: Instant) => string;
  readonly executionId: (value: string) => ExecutionId;
}

/** To tell whether there are more failures than a grouping looks through, it looks through one more. */
export function withOneMore<Grouping extends { readonly within: number }>(
  params: Grouping,
): Grouping {
  return { ...params, within: params.within + 1 };
}

/** `limit`: so many failures were read at most. */
export function gatherAlike<Instant>(
  records: readonly AlikeRecord<Instant>[],
  { limit, decoding }: { readonly limit: number; readonly decoding: Decoding<Instant> },
): GroupedFailures {
  const read = records.reduce((sum, { count }) => sum + count, 0);
  return { groups: records.map((record) => decodeGroup(record, decoding)), isExact: read < limit };
}

function decodeGroup<Instant>(
  record: AlikeRecord<Instant>,
  decoding: Decoding<Instant>,
): AlikeFailures {
  const { node_id: nodeId, tool, queue } = record;
  return {
    definitionId: record.definition_id,
    workflowId: record.workflow_id,
    nodeId,
    place: tool === null || queue === null ? null : { tool, queue },
    causeKey: record.cause_key,
    count: record.count,
    live: record.live,
    firstAt: decoding.instant(record.first_at),
    lastAt: decoding.instant(record.last_at),
    error: record.error,
    latest: () => {
      const latest = JSON.parse(record.latest) as readonly MemberValues<Instant>[];
      return latest.map((values) => decodeMember(values, decoding));
    },
  };
}

function decodeMember<Instant>(
  [executionId, workItemId, error, failedAt, isLive]: MemberValues<Instant>,
  decoding: Decoding<Instant>,
): FailureMember {
  return {
    executionId: decoding.executionId(executionId),
    workItemId,
    error,
    failedAt: decoding.failedAt(failedAt),
    isLive: Boolean(isLive),
  };
}
