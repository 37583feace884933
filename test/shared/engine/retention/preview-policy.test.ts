import test from 'ava';

import { previewPolicy } from '../../../../src/shared/engine/retention/preview-policy.ts';
import { KEPT_FOR_GOOD, openRetentionScene, startEnded } from './retention-scene.ts';

/** More than a scan of a preview looks through. */
const EXECUTIONS = 300;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a preview that takes long answers with what it has found so far`, async (t) => {
    const { store, tenantId, seal, age } = await openRetentionScene(t, dialect);
    await Promise.all(Array.from({ length: EXECUTIONS }, () => startEnded(store, { tenantId })));
    await seal();
    await age(40);
    const preview = async (msAScan: number) => {
      let now = 0;
      const timers = { now: () => (now += msAScan) };
      const system = { retentionDefaults: KEPT_FOR_GOOD };
      const asked = { workflowId: null, status: null, olderThanDays: 30, searchMs: 250 };
      return previewPolicy({ store, timers, system }, { tenantId }, asked);
    };
    const countOf = ({ groups }: Awaited<ReturnType<typeof preview>>) =>
      groups.reduce((sum, { executions }) => sum + executions, 0);
    const whole = await preview(0);
    t.deepEqual([countOf(whole), whole.isComplete], [EXECUTIONS, true]);
    const cut = await preview(200);
    t.deepEqual([countOf(cut), cut.isComplete], [100, false]);
  });
}
