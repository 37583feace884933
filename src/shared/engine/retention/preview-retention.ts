import type { TerminalStatus } from '../../domain/execution/status.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { DueExecution, EventPartition, RetentionStore } from '../../store/retention.ts';
import type { Store } from '../../store/store.ts';
import type { HeldArtifact } from '../../store/unused-artifacts.ts';
import { scanDue, type RetentionRequest, type ScanBudget } from './scan-due.ts';

/** Executions of one tenant and workflow that ended the same way. */
export interface DueGroup {
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly executions: number;
  readonly events: number;
  /** Their size on disk, estimated from the events of some of them. */
  readonly bytes: number;
  /** The end that is longest ago. */
  readonly oldest: string;
}

export interface PreviewedPartition extends EventPartition {
  /** The number of its executions that would be removed. */
  readonly due: number;
}

export interface RetentionPreview {
  /** In the order of tenants, workflows and statuses. */
  readonly groups: readonly DueGroup[];
  /** Artifacts to which nothing but these executions refers: they go when their own time is over. */
  readonly released: { readonly artifacts: number; readonly bytes: number };
  readonly partitions: readonly PreviewedPartition[];
}

/** The most executions that are measured for each group, the first ones found. */
const MEASURED_MAX = 100;

/** The executions that a run would remove now, or those that a budget lets it find. */
export async function previewRetention(
  stores: Pick<Store, 'retention' | 'unusedArtifacts'>,
  request: RetentionRequest,
  budget?: ScanBudget,
): Promise<RetentionPreview> {
  const { retention, unusedArtifacts } = stores;
  const partitions = (await retention.listPartitions()).map((of) => ({ ...of, due: 0 }));
  const groups = new Map<string, Group>();
  const held = new Map<string, HeldArtifact>();
  for await (const page of scanDue(retention, request, budget)) {
    await countPage(retention, groups, page);
    for (const { executionId } of page) countPartition(partitions, executionId);
    const ids = page.map(({ executionId }) => executionId);
    for (const artifact of await unusedArtifacts.heldBy(ids)) addHeld(held, artifact);
  }
  return {
    groups: [...groups]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, group]) => estimate(group)),
    released: held
      .values()
      .filter((artifact) => artifact.held === artifact.holders)
      .reduce(
        ({ artifacts, bytes }, { size }) => ({ artifacts: artifacts + 1, bytes: bytes + size }),
        { artifacts: 0, bytes: 0 },
      ),
    partitions,
  };
}

interface Group extends DueGroup {
  /** The part of `bytes` measured so far. */
  readonly measured: { readonly executions: number; readonly events: number };
}

async function countPage(
  retention: RetentionStore,
  groups: Map<string, Group>,
  page: readonly DueExecution[],
): Promise<void> {
  const chosen: DueExecution[] = [];
  for (const execution of page) {
    const group = count(groups, execution);
    if (group.executions <= MEASURED_MAX) chosen.push(execution);
  }
  if (chosen.length === 0) return;
  const ids = chosen.map(({ executionId }) => executionId);
  const measured = new Map(
    (await retention.measure(ids)).map(({ executionId, bytes }) => [executionId, bytes]),
  );
  for (const execution of chosen) {
    const bytes = measured.get(execution.executionId);
    const group = groups.get(nameOf(execution));
    if (bytes === undefined || group === undefined) continue;
    groups.set(nameOf(execution), {
      ...group,
      bytes: group.bytes + bytes,
      measured: {
        executions: group.measured.executions + 1,
        events: group.measured.events + execution.lastSequence,
      },
    });
  }
}

function estimate({ measured, ...group }: Group): DueGroup {
  if (measured.events === 0) return group;
  return { ...group, bytes: Math.round((group.bytes * group.events) / measured.events) };
}

function countPartition(partitions: PreviewedPartition[], executionId: ExecutionId): void {
  const index = partitions.findIndex(
    ({ fromId, toId }) => executionId >= fromId && executionId < toId,
  );
  const partition = partitions[index];
  if (partition !== undefined) partitions[index] = { ...partition, due: partition.due + 1 };
}

function addHeld(held: Map<string, HeldArtifact>, artifact: HeldArtifact): void {
  const name = JSON.stringify([artifact.tenantId, artifact.hash]);
  const before = held.get(name)?.held ?? 0;
  held.set(name, { ...artifact, held: before + artifact.held });
}

function nameOf({ tenantId, workflowId, status }: DueExecution): string {
  return JSON.stringify([tenantId, workflowId, status]);
}

function count(groups: Map<string, Group>, execution: DueExecution): Group {
  const { tenantId, workflowId, status, lastSequence, completedAt } = execution;
  const before = groups.get(nameOf(execution));
  const oldest = before?.oldest ?? completedAt;
  const group = {
    tenantId,
    workflowId,
    status,
    executions: (before?.executions ?? 0) + 1,
    events: (before?.events ?? 0) + lastSequence,
    bytes: before?.bytes ?? 0,
    oldest: completedAt < oldest ? completedAt : oldest,
    measured: before?.measured ?? { executions: 0, events: 0 },
  };
  groups.set(nameOf(execution), group);
  return group;
}
