import {
  approvalQuestion,
  isApproved,
  judgeWork,
  violationEvent,
  violationText,
} from '../../domain/execution/judge-work.ts';
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

/**
 * What stands against handing out an item that has just been leased: the policies were judged when
 * it was scheduled, and the tenant's may have changed since. The commit settles the item: blocked,
 * its node fails for good; in need of an approval that it has not, its visit is parked for one. Null:
 * nothing stands against it.
 */
export async function judgeClaimed(
  deps: EngineDeps,
  item: ClaimedItem & { readonly record: WorkItemRecord },
): Promise<CommitPlan | null> {
  const { ticket, record, leaseFence, workerId } = item;
  const { executionId, nodeId, visit, attempt, workItemId } = ticket;
  const { policy: tenantPolicy } = await deps.tenants.get(ticket.tenantId);
  // What a workflow or a node says does not change, and an item is there because it was allowed:
  // while the tenant's own policy has nothing against the tool, no execution need be read.
  const own = effectivePolicy({ node: null, workflow: null, tenant: tenantPolicy });
  if (own.judgeTool(record.tool, ...otherNames(record)).is === 'allowed') return null;

  const loaded = await deps.store.executions.load(executionId, null);
  if (loaded === null) return null;
  const { plan } = await deps.definitions.get(loaded.row.definitionId);
  const node = plan.nodes.get(nodeId);
  const live = foldLoaded(loaded, null).live.get(visitKey(nodeId, visit));
  if (node === undefined || live?.workItemId !== workItemId) return null;
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
      const failed = failureFact(
        { ...ticket, workerId },
        { error, errorClass: 'policy_violation', verdict: { retryable: false } },
      );
      const events = [violationEvent(nodeId, visit, verdict), failed];
      return {
        ...settled,
        events: events.map((event) => newEvent(event, SCHEDULER_ACTOR)),
        deadLetters: [{ workItemId, attempt, error }],
      };
    }
  }
}

/** A tool of the workflow's `tools` goes by the name it has there too, and so may policies. */
function otherNames({ payload }: WorkItemRecord): readonly string[] {
  const { tool_ref: ref } = payload;
  return [calledName(payload), ref].filter((name) => typeof name === 'string');
}
