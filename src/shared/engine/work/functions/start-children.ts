import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import { labelExecution } from '../../../domain/execution/labels/label-execution.ts';
import type { WaitPayload } from '../../../domain/execution/function-events.ts';
import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import { tellViolations } from '../../../domain/tell-violations.ts';
import type { ChildStart } from '../../../nodes/run.ts';
import type { CommitPlan } from '../../../store/commit.ts';
import type { TurnCommit } from './decide-turn.ts';
import { DEPTH_MAX, descendantsMaxOf, startedChild, treeUseOf } from '../../advance/family.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import type { OpenRun } from './change-run.ts';
import type { AskedWait } from './suspend-function.ts';

/** The workflows that waits name, or why there is none, by the identities of the waits. */
export type FoundChildren = ReadonlyMap<string, ChildStart | { readonly refused: string }>;

/** Looks up the workflows of children before anything is decided. */
export async function findChildren(
  deps: UseCaseDeps,
  tenantId: TenantId,
  waits: readonly AskedWait[],
): Promise<FoundChildren> {
  const asked = waits.filter(({ kind }) => kind === 'child');
  const found = asked.map(
    async (wait) => [wait.identity, await findChild(deps, tenantId, wait)] as const,
  );
  return new Map(await Promise.all(found));
}

async function findChild(
  deps: UseCaseDeps,
  tenantId: TenantId,
  { workflow_id: workflowId = '', workflow_version, input = {} }: AskedWait,
): Promise<ChildStart | { readonly refused: string }> {
  const version = workflow_version ?? null;
  const latest = await deps.definitions.latest({ tenantId, workflowId, version });
  if (latest === null) {
    const which = version === null ? '' : ` version ${version}`;
    return { refused: `there is no workflow ${workflowId}${which}` };
  }
  const { definition, plan } = latest;
  const schema = plan.stateSchema;
  if (schema !== null) {
    const caller = { tenantId, signal: null, whenBusy: 'waits' } as const;
    const violations = await deps.cpu.validateSchema({ schema, value: input, caller });
    if (violations.length > 0) {
      const told = tellViolations(violations, 'child').join('; ');
      return { refused: `input does not satisfy the state schema of ${workflowId}: ${told}` };
    }
  }
  const labelled = labelExecution(plan.executionLabels, input);
  if (!labelled.ok) return { refused: `workflow ${workflowId}: ${labelled.message}` };
  return {
    executionId: executionIdFromUuid(deps.ids.uuid()),
    definitionId: definition.definitionId,
    workflowId: definition.workflowId,
    workflowVersion: definition.version,
    input,
    labels: labelled.labels,
  };
}

/** The waits that begin, with their children started or permanently refused. */
export async function childrenOfWaits(
  deps: UseCaseDeps,
  open: OpenRun & { readonly turn: NonNullable<OpenRun['turn']> },
  of: { readonly waits: readonly AskedWait[]; readonly found: FoundChildren },
): Promise<{
  readonly waits: readonly WaitPayload[];
  readonly events: readonly ExecutionEvent[];
  readonly commit: TurnCommit;
}> {
  const { known, turn, refused, found: item } = open;
  const { nodeId, visit, attempt } = turn.visit;
  const tenant = await deps.tenants.get(known.row.tenantId);
  const waitsForPlace = tenant.limits.max_concurrent_executions !== undefined;
  const reason = refusalOf(open);
  const events: ExecutionEvent[] = [];
  const starts: CommitPlan['startsExecutions'][number][] = [];
  const waits = of.waits.map(({ input: _, ...wait }): WaitPayload => {
    const child = of.found.get(wait.identity);
    if (child === undefined) return wait;
    if ('refused' in child) return refuse(wait, child.refused);
    if (reason !== null) return refuse(wait, reason);
    const { identity: step } = wait;
    const parent = known.state;
    const { priority } = known.row;
    starts.push(startedChild(child, { parent, nodeId, visit, step, priority, waitsForPlace }));
    events.push({
      kind: 'ChildWorkflowStarted',
      nodeId,
      payload: {
        visit,
        attempt,
        work_item_id: item.record.workItemId,
        child_execution_id: child.executionId,
        workflow_id: child.workflowId,
        workflow_version: child.workflowVersion,
        step,
      },
    });
    return { ...wait, child_execution_id: child.executionId };
  });
  if (starts.length === 0) return { waits, events, commit: {} };
  const tree = treeUseOf({
    base: known.state,
    children: starts.length,
    goesOn: false,
    startsTimers: [],
    descendantsMax: descendantsMaxOf(tenant, deps.settings),
  });
  return { waits, events, commit: { startsExecutions: starts, tree } };

  function refusalOf({ known: { state } }: OpenRun): string | null {
    if (state.depth >= DEPTH_MAX) {
      return `child executions are nested in at most ${DEPTH_MAX} others`;
    }
    if (refused === 'descendants_limited') return 'the tree of executions has no room for it';
    return refused === 'orphaned' ? 'an execution that this one descends from has ended' : null;
  }
}

function refuse(wait: WaitPayload, message: string): WaitPayload {
  return { ...wait, error: { message, class: 'child_failed' } };
}
