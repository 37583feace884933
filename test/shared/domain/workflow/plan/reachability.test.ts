import test from 'ava';
import fc from 'fast-check';
import type { Successors } from '../../../../../src/shared/domain/workflow/plan/reachability.ts';
import { computeReachability } from '../../../../../src/shared/domain/workflow/plan/reachability.ts';

/** The nodes that one search from each node finds. */
function search(successors: Successors, from: number): ReadonlySet<number> {
  const found = new Set(successors[from]);
  for (const node of found) for (const next of successors[node] ?? []) found.add(next);
  return found;
}

const graphs = fc.integer({ min: 1, max: 70 }).chain((size) => {
  const node = fc.integer({ min: 0, max: size - 1 });
  return fc
    .array(fc.tuple(node, node), { maxLength: size * 2 })
    .map((edges) =>
      Array.from({ length: size }, (_, from) =>
        edges.filter((edge) => edge[0] === from).map((edge) => edge[1]),
      ),
    );
});

test('it finds what a search from every node finds', (t) => {
  fc.assert(
    fc.property(graphs, (successors) => {
      const reaches = computeReachability(successors);
      return successors.every((_, from) => {
        const found = search(successors, from);
        return successors.every((_to, to) => reaches(from, to) === found.has(to));
      });
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('a node reaches itself only by a way around', (t) => {
  const reaches = computeReachability([[1], [2], [1], [3], []]);
  t.deepEqual(
    [0, 1, 2, 3, 4].map((node) => reaches(node, node)),
    [false, true, true, true, false],
  );
});

test('a graph without nodes is fine', (t) => {
  t.notThrows(() => computeReachability([]));
});

test('a chain of 10 000 nodes does not overflow the stack', (t) => {
  const chain = Array.from({ length: 10_000 }, (_, node) => (node < 9_999 ? [node + 1] : []));
  const reaches = computeReachability(chain);
  t.true(reaches(0, 9_999));
  t.false(reaches(9_999, 0));
});
