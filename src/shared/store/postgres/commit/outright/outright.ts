import { executionIdFromUuid } from '../../../../domain/ids.ts';
import type { CommitPlan, CommitVerdict, NewExecution } from '../../../commit.ts';
import { encodeOutright, hasSection, OUTRIGHT_TYPES } from './batch.ts';
import { outrightStatement } from './sql.ts';
import { arrayParameter } from '../parameter.ts';
import type { PostgresPool } from '../../connection/connect.ts';
import { isRefusedOutright } from '../../connection/errors.ts';

/*
 * Most commits are steps of executions that this process alone works on, and are accepted. A batch
 * of such plans is written without asking first; the statement fails as a whole when one of them
 * does not hold, and the batch is then judged plan by plan, as if it had never been sent.
 */

/** Null: one of the plans does not hold, and nothing of the batch is written. */
export async function commitOutright(
  pool: PostgresPool,
  plans: readonly CommitPlan[],
): Promise<readonly CommitVerdict[] | null> {
  const batch = encodeOutright(plans);
  const { name, text, columns } = outrightStatement((section) => hasSection(batch, section));
  try {
    const [row] = await pool.run<OutcomeRecord>(
      { name, text, writes: true },
      columns.map((column) => arrayParameter(OUTRIGHT_TYPES[column], batch[column])),
    );
    if (row === undefined) throw new Error('a commit gave no outcome');
    return decodeOutcome(plans, row);
  } catch (error) {
    if (isRefusedOutright(error)) return null;
    throw error;
  }
}

/** Whether all that the plan asks for is among what can be carried out without a judgement. */
export function isOutright(plan: CommitPlan): boolean {
  return (
    (plan.create === null ? isKnown(plan) : isPlainStart(plan, plan.create)) &&
    plan.settles.every(({ onlyIfExpired }) => !onlyIfExpired) &&
    plan.snapshot === null &&
    plan.charge === undefined &&
    !plan.revokesAll &&
    plan.waitingItems === undefined &&
    plan.workflowHold === undefined &&
    plan.tree === undefined &&
    plan.leavesQueue === undefined &&
    [
      plan.revokesItems,
      plan.expiresQueued,
      plan.firesTimers,
      plan.startsTimers,
      plan.cancelsTimers,
      plan.retries,
      plan.startsExecutions ?? [],
      plan.deadLetters ?? [],
    ].every(({ length }) => length === 0)
  );
}

/** An end is news for webhooks whatever was before; that an execution runs or pauses need not be. */
function isKnown({ status }: CommitPlan): boolean {
  return status !== 'running' && status !== 'paused';
}

function isPlainStart({ runnable }: CommitPlan, create: NewExecution): boolean {
  return runnable !== 'mark' && create.request === null && create.limits === undefined;
}

interface OutcomeRecord {
  readonly stamp: string;
  /** The text form of an array. */
  readonly items: string | null;
  readonly fences: readonly number[] | null;
  /** With `tails`, of each execution that was there: its UUID, last sequence and time of its events. */
  readonly moves: string | null;
}

function decodeOutcome(
  plans: readonly CommitPlan[],
  { stamp, items, fences, moves }: OutcomeRecord,
): readonly CommitVerdict[] {
  const bornItems = items?.slice(1, -1).split(',') ?? [];
  const fenceOf = new Map(bornItems.map((item, index) => [item, fences?.[index]]));
  const tails = new Map(
    (JSON.parse(moves ?? '[]') as [string, number, string][]).map(([uuid, last, time]) => [
      executionIdFromUuid(uuid),
      { last, time: new Date(time).toISOString() },
    ]),
  );
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
    };
  });
}
