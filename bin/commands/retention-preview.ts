import {
  countUnusedArtifacts,
  type RemovedArtifacts,
} from '../../src/shared/engine/retention/collect-artifacts.ts';
import {
  previewRetention,
  type DueGroup,
} from '../../src/shared/engine/retention/preview-retention.ts';
import { printJson, printNote } from '../support/output.ts';
import { printTable } from '../support/print-table.ts';
import { readConfig } from '../support/read-config.ts';
import { readRequest, withRetention, type SelectOptions } from '../support/retention-request.ts';
import { retentionTimes } from '../support/retention-times.ts';
import { tellBytes } from '../support/tell-bytes.ts';

export async function preview(options: SelectOptions): Promise<void> {
  const request = readRequest(options);
  const { unusedArtifactMs: unusedMs } = retentionTimes(readConfig(options, 'serve').config);
  const { due, unused, unreadWindows } = await withRetention(options, async (store) => ({
    due: await previewRetention(store, request),
    unused: await countUnusedArtifacts(store, { ...request, unusedMs }),
    unreadWindows: await store.unusedArtifacts.unreadWindows(),
  }));
  const { groups, released } = due;
  const total = {
    executions: groups.reduce((sum, group) => sum + group.executions, 0),
    events: groups.reduce((sum, group) => sum + group.events, 0),
  };
  if (options.output === 'json') {
    return printJson({
      groups: groups.map(shapeGroup),
      ...total,
      unused_artifacts: unused,
      released_artifacts: released,
      unread_windows: unreadWindows,
    });
  }
  if (groups.length > 0) {
    printTable({
      head: ['TENANT', 'WORKFLOW', 'STATUS', 'EXECUTIONS', 'EVENTS', 'OLDEST END'],
      rows: groups.map((group) => [
        group.tenantId,
        group.workflowId,
        group.status,
        group.executions,
        group.events,
        group.oldest,
      ]),
    });
  }
  printNote(`${total.executions} executions with ${total.events} events would be removed now`);
  noteArtifacts({ unused, released, unreadWindows, unusedMs });
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
  if (unused.artifacts > 0)
    printNote(`${tell(unused)} that nothing refers to would be removed now`);
  if (released.artifacts > 0) {
    const days = unusedMs / DAY_MS;
    printNote(
      `${tell(released)} that nothing else refers to would be removed ${days} days after that`,
    );
  }
  if (unreadWindows > 0 && unused.artifacts + released.artifacts > 0) {
    printNote('events of the last minutes have not been looked through for artifacts yet');
  }
}

function tell({ artifacts, bytes }: RemovedArtifacts): string {
  return `${artifacts} artifacts with ${tellBytes(bytes)}`;
}

const DAY_MS = 86_400_000;

function shapeGroup(group: DueGroup): object {
  const { tenantId, workflowId, status, executions, events, oldest } = group;
  return {
    tenant_id: tenantId,
    workflow_id: workflowId,
    status,
    executions,
    events,
    oldest_end: oldest,
  };
}
