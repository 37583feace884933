import { executionIdFromUuid } from '../../../../domain/ids.ts';
import type { CommitPlan, CommitVerdict, NewExecution } from '../../../commit.ts';
import { changesApprovals } from '../../../rows/approval-changes.ts';
import { optimisticBatch } from './batch.ts';
import { optimisticStatement } from './sql.ts';
import { encodeColumns } from '../batch.ts';
import { unservedIn } from '../unserved.ts';
import type { PostgresPool } from '../../connection/connect.ts';
import { isUnmetCondition } from '../../connection/errors.ts';

/*
 * Most commits are steps of executions that this process alone works on, and are accepted. A batch
 * of such plans is written without judging it first. The whole statement fails when the conditions
 * of one plan do not hold; the batch is then judged plan by plan, as if it had never been sent.
 */

/** Null: the conditions of one plan do not hold, and nothing of the batch is written. */
export async function commitUnjudged(
  pool: PostgresPool,
  plans: readonly CommitPlan[],
): Promise<readonly CommitVerdict[] | null> {
  const { batch, has } = optimisticBatch(plans);
  const { name, text, columns } = optimisticStatement(has);
  try {
    const [row] = await pool.run<OutcomeRecord>(
      { name, text, writes: true },
      encodeColumns(columns, batch),
    );
    if (row === undefined) throw new Error('a commit gave no outcome');
    return decodeOutcome(plans, row);
  } catch (error) {
    if (isUnmetCondition(error)) return null;
    throw error;
  }
}

/** Whether the optimistic statement can write every part of the plan. */
export function needsNoJudgement(plan: CommitPlan): boolean {
  return (
    (plan.create === null ? isKnown(plan) : isPlainStart(plan, plan.create)) &&
    plan.settles.every(({ onlyIfExpired }) => !onlyIfExpired) &&
    plan.snapshot === null &&
    plan.charge === null &&
    plan.setsLabels === undefined &&
    !plan.revokesAll &&
    plan.waitingItems === null &&
    plan.workflowHold === null &&
    plan.tree === null &&
    plan.failure === null &&
    !plan.leavesQueue &&
    plan.tenantLine === undefined &&
    plan.leavesLine === undefined &&
    plan.usesToken === undefined &&
    plan.isTogether === undefined &&
    !changesApprovals(plan) &&
    [
      plan.keepsLeases,
      plan.revokesItems,
      plan.expiresQueued,
      plan.firesTimers,
      plan.startsTimers,
      plan.cancelsTimers,
      plan.holdsTimers,
      plan.releasesTimers,
      plan.retries,
      plan.startsExecutions,
      plan.deadLetters,
    ].every(({ length }) => length === 0)
  );
}

/** Webhooks get every end, but `running` and `paused` only when the status changes. */
function isKnown({ status }: CommitPlan): boolean {
  return status !== 'running' && status !== 'paused';
}

function isPlainStart({ runnable }: CommitPlan, create: NewExecution): boolean {
  const { limits, awaitsPlace, takesPlace } = create;
  const needsPlace = awaitsPlace !== undefined || takesPlace !== undefined;
  return runnable !== 'mark' && limits === null && !needsPlace;
}

interface OutcomeRecord {
  readonly stamp: string;
  /** The text form of an array. */
  readonly items: string | null;
  readonly fences: readonly number[] | null;
  /** With `tails`: the UUID, the last sequence and the event time of each existing execution. */
  readonly moves: string | null;
  /** JSON: see `unservedTenants`. */
  readonly unserved: string | null;
}

function decodeOutcome(
  plans: readonly CommitPlan[],
  { stamp, items, fences, moves, unserved }: OutcomeRecord,
): readonly CommitVerdict[] {
  const bornItems = items?.slice(1, -1).split(',') ?? [];
  const fenceOf = new Map(bornItems.map((item, index) => [item, fences?.[index]]));
  const tails = new Map(
    (JSON.parse(moves ?? '[]') as [string, number, string][]).map(([uuid, last, time]) => [
      executionIdFromUuid(uuid),
      { last, time: new Date(time).toISOString() },
    ]),
  );
  const unservedOf = unservedIn(unserved);
  return plans.map((plan) => {
    const tail = tails.get(plan.executionId);
    const before = plan.create === null ? (plan.expectedSequence ?? 0) : 0;
    return {
      accepted: true,
      lastSequence: tail?.last ?? before + plan.events.length,
      createdAt: tail?.time ?? stamp,
      fences: plan.bornLeased.map(({ ticket }) => {
        const fence = fenceOf.get(ticket.workItemId);
        if (fence === undefined) throw new Error(`no fence for ${ticket.workItemId}`);
        return fence;
      }),
      ...unservedOf(plan),
    };
  });
}
