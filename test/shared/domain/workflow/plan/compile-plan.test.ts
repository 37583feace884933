import test from 'ava';
import { compilePlan } from '../../../../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../../../../src/shared/nodes/index.ts';
import { accept } from '../read.ts';

test('a stored definition compiles to the same plan', (t) => {
  const nodes = { a: { kind: 'branch', branches: [{ target: 'b' }] }, b: { type: 'pass' } };
  const { ir, plan } = accept({ nodes });
  const stored: unknown = JSON.parse(JSON.stringify(ir));
  const again = compilePlan(stored as typeof ir, builtInKinds);
  t.deepEqual([...again.nodes], [...plan.nodes]);
  t.is(again.startNode, 'a');
  t.true(again.reaches('a', 'b'));
});

test('a stored definition that does not compile is a broken invariant', (t) => {
  t.throws(() => compilePlan({ workflow_id: 'w', nodes: { n: { kind: 'x' } } }, builtInKinds), {
    message: 'stored workflow definition does not compile: /nodes/n/kind: unknown kind "x"',
  });
});
