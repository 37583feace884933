import type { CommitPlan, CommitVerdict } from '../../commit.ts';
import { sealedUntil } from '../audit/append.ts';
import { judgePlan } from './judge.ts';
import { writePlan } from './write.ts';
import type { Connection } from '../connection/connect.ts';
import { withFences } from '../work/queue.ts';

/*
 * Carries out plans (see `CommitPlan`). A batch is one immediate transaction: nobody else writes
 * between the first judgement and the commit. So it first judges a plan as a whole by reading, and
 * writes only if every condition of the plan holds. A refused plan writes nothing and does not
 * affect its neighbours. Plans of one batch see each other in their order.
 *
 * A plan that cannot be written at all (a duplicate item id, say) is a bug in the plan: the whole
 * batch is rolled back and the error thrown, and the caller finds the culprit by halving the batch.
 */

export function commitPlans(
  connection: Connection,
  plans: readonly CommitPlan[],
): Promise<readonly CommitVerdict[]> {
  return connection.write(() => {
    const now = connection.now();
    const sealed = sealedUntil(connection);
    const isRefused =
      areTogether(plans) && plans.some((plan) => !judgePlan(connection, { plan, now }).holds);
    return withFences(connection, (drawFence) =>
      plans.map((plan) => {
        const judged = judgePlan(connection, { plan, now });
        if (!judged.holds) {
          return { accepted: false, reason: judged.reason, existing: judged.existing };
        }
        if (isRefused) return { accepted: false, reason: 'moved', existing: null };
        const { head } = judged;
        return writePlan(connection, { plan, head, now, sealedUntil: sealed, drawFence });
      }),
    );
  });
}

/** They are of different executions, so each is judged alike before and after the others are written. */
function areTogether(plans: readonly CommitPlan[]): boolean {
  return plans.some(({ isTogether }) => isTogether === true);
}
