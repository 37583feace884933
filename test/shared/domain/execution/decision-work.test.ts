import test from 'ava';

import { decide } from '../../../../src/shared/domain/execution/decide.ts';
import { emptyState } from '../../../../src/shared/domain/execution/draft.ts';
import { evolve } from '../../../../src/shared/domain/execution/evolve.ts';
import {
  DEFAULT_TENANT,
  type ExecutionId,
  type WorkItemId,
} from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { planOf } from '../../../support/history.ts';

/** As much work as the limit allows for one node. */
const HEAVY = Array.from({ length: 50 }, () => ({ expr: 'state.text.contains("ab")' }));

const chain = (nodes: number): JsonObject => ({
  start_node: 'n0',
  nodes: Object.fromEntries(
    Array.from({ length: nodes }, (_, at) => [
      `n${at}`,
      { kind: { type: 'pass', output: { [`o${at}`]: HEAVY } } },
    ]),
  ),
  edges: Array.from({ length: nodes - 1 }, (_, at) => ({ from: `n${at}`, to: `n${at + 1}` })),
});

const map: JsonObject = {
  nodes: {
    m: {
      kind: {
        type: 'map',
        items: '$.list',
        node: { kind: { type: 'pass', output: HEAVY } },
      },
    },
  },
};

for (const [what, ir] of [
  ['a chain of nodes', chain(10)],
  ['the items of a map', map],
] as const) {
  test(`${what} with much work is decided in parts, so that others have their turn`, (t) => {
    const plan = planOf(ir);
    const executionId = 'exec_0198c0de00007000a000000000000001' as ExecutionId;
    const input = { text: 'a'.repeat(1_000_000), list: [...Array(10).keys()] };
    const ids = { workflow_id: 'w', workflow_version: '1.0.0', definition_id: 'd' };
    let state = evolve({
      state: emptyState({ executionId, tenantId: DEFAULT_TENANT }),
      events: [{ kind: 'WorkflowStarted', nodeId: null, payload: { ...ids, input }, sequence: 1 }],
      plan,
    });
    const entered: number[] = [];
    for (let more = true; more;) {
      const newWorkItemId = () => 'w' as WorkItemId;
      const decision = decide({ plan, state, newWorkItemId, tenantPolicy: {}, budgets: [] });
      entered.push(decision.events.filter(({ kind }) => kind === 'NodeScheduled').length);
      ({ next: state, more } = decision);
    }
    t.is(state.status, 'completed');
    t.true(Math.max(...entered) <= 5, `${entered.join(', ')} at once`);
  });
}
