import test from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

const by = { tenantId: TENANT, actorId: 'token:t' };
const child = (workflow_ref: string): JsonObject => ({ kind: { type: 'subgraph', workflow_ref } });
const UNDO = {
  id: 's.undo',
  retry_policy: 'no_retry',
  kind: { type: 'subgraph', workflow_ref: 'leaf', input_mapping: { step: { literal: 7 } } },
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  for (const ended of ['parent', 'grandparent'] as const) {
    test(`${dialect}: an undo that starts a child fails when the ${ended} has ended`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      const svc = openTestEngine({ store });
      const register = (workflow_id: string, nodes: JsonObject, edges: JsonObject[]) =>
        svc.engine.registerWorkflow({
          ...by,
          ir: { workflow_id, nodes, edges },
        });
      await register('leaf', { x: { kind: 'pass' } }, []);
      const wait = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
      await register('held', { s: { kind: 'pass', undo: UNDO }, wait }, [
        { from: 's', to: 'wait' },
      ]);
      const first = { kind: 'pass', undo: { kind: 'pass' } };
      const mid = { first, s: child('held') };
      await register('mid', mid, [{ from: 'first', to: 's' }]);
      const executionId = await svc.start({
        nodes: { s: child(ended === 'parent' ? 'held' : 'mid') },
      });
      await svc.settle();
      let childId = executionId;
      for (let depth = ended === 'parent' ? 1 : 2; depth > 0; depth -= 1) {
        const { state } = await svc.engine.readExecution({
          tenantId: TENANT,
          executionId: childId,
        });
        [childId = executionId] = [...state.live.values()].flatMap((visit) => visit.childId ?? []);
      }
      await svc.engine.cancelExecution({ ...by, executionId });
      await svc.settle();
      const { events } = await svc.engine.readEvents({
        tenantId: TENANT,
        executionId: childId,
        after: 0,
        limit: null,
      });
      const failure = events.find(({ kind }) => kind === 'NodeFailed');
      t.like(failure, { nodeId: 's.undo', payload: { error_class: 'child_failed' } });
      // A person decides about the undo.
      t.is(events.at(-1)?.kind, 'ApprovalRequested');
      t.deepEqual(svc.troubles, []);
    });
  }
}
