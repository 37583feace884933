import type { CommitPlan } from '../../src/shared/store/commit.ts';
import type { Store } from '../../src/shared/store/store.ts';

/** Some commits come too late: their executions have moved. */
export function refusing(store: Store, refuses: (plan: CommitPlan) => boolean): Store {
  const { executions } = store;
  const moved = { accepted: false, reason: 'moved', existing: null } as const;
  const commit: Store['executions']['commit'] = async (plans) => {
    const late = new Set(plans.filter(refuses));
    const timely = plans.filter((plan) => !late.has(plan));
    const verdicts = timely.length === 0 ? [] : await executions.commit(timely);
    const others = verdicts.values();
    return plans.map((plan) => (late.has(plan) ? moved : (others.next().value ?? moved)));
  };
  return { ...store, executions: { ...executions, commit } };
}
