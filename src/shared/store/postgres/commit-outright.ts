import type { CommitPlan, CommitVerdict, NewExecution } from '../commit.ts';
import {
  encodeOutright,
  hasSection,
  OUTRIGHT_TYPES,
  sequenceBefore,
} from './commit-outright-batch.ts';
import { outrightStatement } from './commit-outright-sql.ts';
import { arrayParameter } from './commit-parameter.ts';
import type { PostgresPool } from './connect.ts';
import { isRefusedOutright } from './errors.ts';

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
    (plan.create === null ? isKnown(plan) : isPlainStart(plan.create)) &&
    plan.settles.every(({ onlyIfExpired }) => !onlyIfExpired) &&
    plan.newItems.every(({ record }) => record === null) &&
    plan.recordsOutput === null &&
    plan.snapshot === null &&
    plan.charge === undefined &&
    plan.runnable !== 'mark' &&
    !plan.revokesAll &&
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
function isKnown({ expectedSequence, status }: CommitPlan): boolean {
  return expectedSequence !== null && status !== 'running' && status !== 'paused';
}

function isPlainStart(create: NewExecution): boolean {
  return create.request === null && create.limits === undefined;
}

interface OutcomeRecord {
  readonly stamp: string;
  /** The text form of an array. */
  readonly items: string | null;
  readonly fences: readonly number[] | null;
}

function decodeOutcome(
  plans: readonly CommitPlan[],
  { stamp, items, fences }: OutcomeRecord,
): readonly CommitVerdict[] {
  const bornItems = items?.slice(1, -1).split(',') ?? [];
  const fenceOf = new Map(bornItems.map((item, index) => [item, fences?.[index]]));
  return plans.map((plan) => ({
    accepted: true,
    lastSequence: sequenceBefore(plan) + plan.events.length,
    createdAt: stamp,
    fences: plan.bornLeased.map(({ ticket }) => {
      const fence = fenceOf.get(ticket.workItemId);
      if (fence === undefined) throw new Error(`no fence for ${ticket.workItemId}`);
      return fence;
    }),
  }));
}
