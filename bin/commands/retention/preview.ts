import {
  countUnreadWindows,
  countUnusedArtifacts,
  type RemovedArtifacts,
} from '../../../src/shared/engine/retention/collect-artifacts.ts';
import {
  previewRetention,
  type DueGroup,
  type PreviewedPartition,
} from '../../../src/shared/engine/retention/preview-retention.ts';
import { printJson, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';
import { readConfig } from '../../boot/read-config.ts';
import { readRequest, withRetention, type SelectOptions } from '../../cli/retention-request.ts';
import { retentionTimes } from '../../../src/runtime/retention-times.ts';
import { tellBytes } from '../../cli/tell-bytes.ts';

export async function preview(options: SelectOptions): Promise<void> {
  const request = readRequest(options);
  const { unusedArtifactMs: unusedMs } = retentionTimes(readConfig(options, 'serve').config);
  const { due, unused, unreadWindows } = await withRetention(
    { ...options, onlyReads: true },
    async (store) => ({
      due: await previewRetention(store, request),
      unused: await countUnusedArtifacts(store, { ...request, unusedMs }),
      unreadWindows: await countUnreadWindows(store),
    }),
  );
  const { groups, released, partitions } = due;
  const total = {
    executions: groups.reduce((sum, group) => sum + group.executions, 0),
    events: groups.reduce((sum, group) => sum + group.events, 0),
    bytes: groups.reduce((sum, group) => sum + group.bytes, 0),
  };
  if (options.output === 'json') {
    return printJson({
      groups: groups.map(shapeGroup),
      executions: total.executions,
      events: total.events,
      estimated_bytes: total.bytes,
      unused_artifacts: unused,
      released_artifacts: released,
      unread_windows: unreadWindows,
      partitions: partitions.map(shapePartition),
    });
  }
  if (groups.length > 0) {
    printTable({
      head: ['TENANT', 'WORKFLOW', 'STATUS', 'EXECUTIONS', 'EVENTS', 'SIZE', 'OLDEST END'],
      rows: groups.map((group) => [
        group.tenantId,
        group.workflowId,
        group.status,
        group.executions,
        group.events,
        `~${tellBytes(group.bytes)}`,
        group.oldest,
      ]),
    });
  }
  if (partitions.length > 0) {
    printTable({
      head: ['PARTITION', 'FROM', 'SIZE', 'EXECUTIONS', 'OF THESE DUE', 'DROPPED'],
      rows: partitions.map((partition) => [
        partition.name,
        partition.from,
        tellBytes(partition.bytes),
        partition.executions,
        partition.due,
        TOLD_DROPS[whenDropped(partition)],
      ]),
    });
  }
  printNote(
    `${total.executions} executions with ${total.events} events and about ` +
      `${tellBytes(total.bytes)} would be removed now`,
  );
  noteArtifacts({ unused, released, unreadWindows, unusedMs });
}

const TOLD_DROPS = { now: 'now', with_this_run: 'with this run', not_yet: '-' } as const;

/** One that has just ended may still get executions: it stays for another day. */
function whenDropped({ to, executions, due }: PreviewedPartition): keyof typeof TOLD_DROPS {
  if (Date.parse(to) > Date.now() - DAY_MS || executions > due) return 'not_yet';
  return executions === 0 ? 'now' : 'with_this_run';
}

function shapePartition(partition: PreviewedPartition): object {
  const { name, from, to, bytes, executions, due } = partition;
  return { name, from, to, bytes, executions, due, dropped: whenDropped(partition) };
}

function noteArtifacts({
  unused,
  released,
  unreadWindows,
  unusedMs,
}: {
  readonly unused: RemovedArtifacts;
  readonly released: RemovedArtifacts;
  readonly unreadWindows: number;
  readonly unusedMs: number | null;
}): void {
  if (unusedMs === null) return;
  if (unused.artifacts > 0) printNote(`${tell(unused)} without references would be removed now`);
  if (released.artifacts > 0) {
    const days = unusedMs / DAY_MS;
    printNote(
      `${tell(released)} that only these executions refer to would be removed ${days} days later`,
    );
  }
  if (unreadWindows > 0) {
    printNote(
      `more artifacts may go: ${unreadWindows} windows of the audit log are not yet searched for references`,
    );
  }
}

function tell({ artifacts, bytes }: RemovedArtifacts): string {
  return `${artifacts} artifacts with ${tellBytes(bytes)}`;
}

const DAY_MS = 86_400_000;

function shapeGroup(group: DueGroup): object {
  const { tenantId, workflowId, status, executions, events, bytes, oldest } = group;
  return {
    tenant_id: tenantId,
    workflow_id: workflowId,
    status,
    executions,
    events,
    estimated_bytes: bytes,
    oldest_end: oldest,
  };
}
