import type { TerminalStatus } from '../../domain/execution/status.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { DueExecution } from '../../store/retention.ts';
import type { Store } from '../../store/store.ts';
import type { HeldArtifact } from '../../store/unused-artifacts.ts';
import { scanDue, type RetentionRequest } from './scan-due.ts';

/** Executions of one tenant and workflow that ended the same way. */
export interface DueGroup {
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly executions: number;
  readonly events: number;
  /** The end that is longest ago. */
  readonly oldest: string;
}

export interface RetentionPreview {
  /** In the order of tenants, workflows and statuses. */
  readonly groups: readonly DueGroup[];
  /** Artifacts to which nothing but these executions refers: they go when their own time is over. */
  readonly released: { readonly artifacts: number; readonly bytes: number };
}

/** What a run would remove right now. */
export async function previewRetention(
  stores: Pick<Store, 'retention' | 'unusedArtifacts'>,
  request: RetentionRequest,
): Promise<RetentionPreview> {
  const groups = new Map<string, DueGroup>();
  const held = new Map<string, HeldArtifact>();
  for await (const page of scanDue(stores.retention, request)) {
    for (const execution of page) count(groups, execution);
    const ids = page.map(({ executionId }) => executionId);
    for (const artifact of await stores.unusedArtifacts.heldBy(ids)) addHeld(held, artifact);
  }
  return {
    groups: [...groups]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, group]) => group),
    released: held
      .values()
      .filter((artifact) => artifact.held === artifact.holders)
      .reduce(
        ({ artifacts, bytes }, { size }) => ({ artifacts: artifacts + 1, bytes: bytes + size }),
        { artifacts: 0, bytes: 0 },
      ),
  };
}

function addHeld(held: Map<string, HeldArtifact>, artifact: HeldArtifact): void {
  const name = JSON.stringify([artifact.tenantId, artifact.hash]);
  const before = held.get(name)?.held ?? 0;
  held.set(name, { ...artifact, held: before + artifact.held });
}

function count(groups: Map<string, DueGroup>, execution: DueExecution): void {
  const { tenantId, workflowId, status, lastSequence, completedAt } = execution;
  const name = JSON.stringify([tenantId, workflowId, status]);
  const group = groups.get(name);
  const oldest = group?.oldest ?? completedAt;
  groups.set(name, {
    tenantId,
    workflowId,
    status,
    executions: (group?.executions ?? 0) + 1,
    events: (group?.events ?? 0) + lastSequence,
    oldest: completedAt < oldest ? completedAt : oldest,
  });
}
