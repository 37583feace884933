import {
  approvalQuestion,
  isApproved,
  judgeWork,
  violationEvent,
  violationText,
} from '../../domain/execution/judge-work.ts';
import { beginsRollback } from '../../domain/execution/function-run.ts';
import { visitKey } from '../../domain/execution/state.ts';
import { effectivePolicy } from '../../domain/policy/policy.ts';
import { calledName } from '../../domain/work/called-name.ts';
import type { WorkItemRecord } from '../../domain/work/work-item.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { ClaimedItem } from '../../store/store.ts';
import { newEvent, SCHEDULER_ACTOR } from '../commit/commit-plan.ts';
import type { EngineDeps } from '../deps.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import { failureFact } from '../advance/outcome-facts.ts';
import { awaitsChildren } from '../../domain/execution/undo/ending-children.ts';
import { endsWithFunction } from './functions/end-function.ts';
import { deadLetterOf } from '../overview/cause-of.ts';

/**
 * Judges an item that has just been leased: the policies were judged when it was scheduled, but the
 * tenant's may have changed since. Returns the commit that settles a refused item. If a policy
 * blocks it, its node fails permanently; if it needs an approval, its visit is parked for one.
 * Null: the item may be handed out.
 */
export async function judgeClaimed(
  deps: EngineDeps,
  item: ClaimedItem & { readonly record: WorkItemRecord },
): Promise<CommitPlan | null> {
  const { ticket, record, leaseFence, workerId } = item;
  const { executionId, nodeId, visit, attempt, workItemId } = ticket;
  const { policy: tenantPolicy } = await deps.tenants.get(ticket.tenantId);
  // The policies of workflow and node never change, and they allowed the item when it was
  // scheduled. While the tenant's own policy allows the tool, the execution need not be read.
  const own = effectivePolicy({ node: null, workflow: null, tenant: tenantPolicy });
  if (own.judgeTool(record.tool, ...otherNames(record)).is === 'allowed') return null;

  const loaded = await deps.store.executions.load(executionId, null);
  if (loaded === null) return null;
  const { plan } = await deps.definitions.get(loaded.row.definitionId);
  const node = plan.nodes.get(nodeId);
  const state = foldLoaded(loaded, null);
  const live = state.live.get(visitKey(nodeId, visit));
  if (node === undefined || live?.workItemId !== workItemId) return null;
  // A rollback may undo its steps, even if the policies no longer allow the tool.
  if (live.run?.mode === 'rollback') return null;
  const verdict = judgeWork({ plan, node, tenantPolicy });
  const settled: CommitPlan = {
    ...emptyCommit(ticket),
    settles: [{ workItemId, leaseFence, onlyIfExpired: false }],
    runnable: 'mark',
  };
  switch (verdict.is) {
    case 'allowed':
      return null;
    case 'approval': {
      const approval = approvalQuestion(verdict.name, record.payload['input'] ?? null);
      if (isApproved(live, approval.shown)) return null;
      const payload = { visit, attempt, work_item_id: workItemId, approval };
      const parked = newEvent({ kind: 'NodeParked', nodeId, payload }, SCHEDULER_ACTOR);
      return { ...settled, events: [parked] };
    }
    case 'blocked': {
      const error = violationText(verdict);
      const errorClass = 'policy_violation';
      const awaits = awaitsChildren(state.undo, live);
      const failed = failureFact(
        { ...ticket, workerId },
        { error, errorClass, verdict: { retryable: false }, awaitsChildren: awaits },
      );
      const events = [violationEvent(nodeId, visit, verdict), failed];
      const isOver = !beginsRollback(live.run);
      return {
        ...settled,
        events: events.map((event) => newEvent(event, SCHEDULER_ACTOR)),
        deadLetters: isOver ? [deadLetterOf({ workItemId, attempt, error, errorClass })] : [],
        ...(live.run !== null &&
          (isOver || awaits) &&
          endsWithFunction(state, { ...live, run: live.run, awaits })),
      };
    }
  }
}

/** A tool of the workflow's `tools` also has its name there, which policies may use. */
function otherNames({ payload }: WorkItemRecord): readonly string[] {
  const { tool_ref: ref } = payload;
  return [calledName(payload), ref].filter((name) => typeof name === 'string');
}
