import test from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { ChildEnd } from '../../../../src/shared/domain/execution/state.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import {
  createSubgraphRunner,
  type ChildWorkflows,
} from '../../../../src/shared/nodes/subgraph/run.ts';
import type { NodeCall } from '../../../../src/shared/nodes/run.ts';
import type { SubgraphSpec } from '../../../../src/shared/nodes/subgraph/spec.ts';
import { enter, nodeProblems, planOf } from '../enter.ts';

const SUB = { kind: { type: 'subgraph', workflow_ref: 'other' } };
const childId = 'exec_0190a0b0c0d07000800000000000000a' as ExecutionId;
const done = (output: JsonObject): ChildEnd => ({ ok: true, childId, output });

/** The effect of the child's end on node `n`. */
function after(node: JsonObject, end: ChildEnd) {
  const planNode = planOf({ nodes: { n: node } }).nodes.get('n');
  if (planNode === undefined) throw new Error('the plan has no node n');
  return planNode.kind.afterChild?.(
    planNode.spec,
    {
      node: planNode,
      executionId: childId,
      workflowId: 'w',
      workflowVersion: '1.0.0',
      visit: 0,
      scope: { state: { mine: 1 }, output: null, input: {}, execution: {} },
      arrivals: [],
    },
    end,
  );
}

test('refused, with its place: no workflow, and what is no mapping or no word', (t) => {
  t.deepEqual(nodeProblems({ kind: 'subgraph' }), ['/workflow_ref: missing workflow_ref']);
  t.deepEqual(nodeProblems({ kind: { type: 'subgraph', workflow_ref: 1 } }), [
    '/kind/workflow_ref: must be a string',
  ]);
  t.regex(
    nodeProblems({ ...SUB, kind: { ...SUB.kind, output_mapping: { expr: '(' } } })[0] ?? '',
    /^\/kind\/output_mapping\/expr: /,
  );
  t.deepEqual(nodeProblems({ kind: { ...SUB.kind, on_child_failure: 'retry' } }), [
    '/kind/on_child_failure: must be one of fail, complete',
  ]);
});

test('the input is the mapped one, else the state', (t) => {
  const state = { a: 1 };
  t.like(enter(SUB, { state }), { do: 'work', queue: 'engine', input: { a: 1 } });
  t.like(enter({ ...SUB, input_mapping: { b: '$.a' } }, { state }), { input: { b: 1 } });
  const broken = { ...SUB, input_mapping: { b: { expr: '1 / 0' } } };
  t.like(enter(broken), { do: 'fail', errorClass: 'expression_error' });
});

test('the output is the last state of the child, or what is mapped of it', (t) => {
  t.deepEqual(after(SUB, done({ a: 1 })), { do: 'complete', output: { a: 1 } });
  const mapped = { kind: { ...SUB.kind, output_mapping: { got: '$output.a', mine: '$.mine' } } };
  const both = { got: 1, mine: 1 };
  t.deepEqual(after(mapped, done({ a: 1 })), { do: 'complete', output: both, statePatch: both });
  t.deepEqual(after({ ...mapped, output_key: 'k' }, done({ a: 1 })), {
    do: 'complete',
    output: both,
  });
  const broken = { kind: { ...SUB.kind, output_mapping: { expr: 'output.a / 0' } } };
  t.like(after(broken, done({ a: 1 })), { do: 'fail', errorClass: 'expression_error' });
});

test('a child that did not complete fails the node, or completes it with what went wrong', (t) => {
  const end = { ok: false, childId, status: 'failed', error: 'no', errorClass: 'x' } as const;
  t.deepEqual(after(SUB, end), { do: 'fail', error: 'no', errorClass: 'x' });
  t.deepEqual(after({ kind: { ...SUB.kind, on_child_failure: 'complete' } }, end), {
    do: 'complete',
    output: { error: 'no', error_class: 'x', status: 'failed', execution_id: childId },
  });
});

test('nothing starts that does not exist, or would be refused', async (t) => {
  const stateSchema = { type: 'object' };
  const definition = {
    definitionId: 'd',
    workflowId: 'other',
    version: '2',
    stateSchema,
    executionLabels: [],
  } as never;
  const asked: unknown[] = [];
  const workflows: ChildWorkflows = {
    find: async ({ version, ...of }) => {
      asked.push({ ...of, version });
      return version === 'none' ? null : definition;
    },
    validate: async ({ value }) => (value['bad'] === true ? ['bad is bad'] : []),
    newId: () => '0190a0b0-c0d0-7000-8000-00000000000a',
  };
  const runner = createSubgraphRunner({ workflows });
  const run = (input: NodeCall['input'], version: string | null = null) => {
    const spec = { workflowId: 'other', version };
    return runner.run({ tenantId: 't', spec, input } as NodeCall<SubgraphSpec>);
  };
  t.deepEqual(await run({ a: 1 }), {
    ok: 'child',
    child: {
      executionId: childId,
      definitionId: 'd',
      workflowId: 'other',
      workflowVersion: '2',
      input: { a: 1 },
      labels: {},
    },
  } as never);
  t.deepEqual(asked, [{ tenantId: 't', workflowId: 'other', version: null }]);
  t.like(await run({}, 'none'), {
    error: 'there is no workflow other version none',
    errorClass: 'not_found',
    final: true,
  });
  t.like(await run([1]), { errorClass: 'invalid_input', final: true });
  t.like(await run({ bad: true }), {
    error: 'input does not satisfy the state schema of other: bad is bad',
    errorClass: 'invalid_input',
  });
});
