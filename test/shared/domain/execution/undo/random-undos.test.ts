import test from 'ava';
import fc from 'fast-check';

import { cancellationEvents } from '../../../../../src/shared/domain/execution/finalizers.ts';
import {
  decodeState,
  encodeState,
} from '../../../../../src/shared/domain/execution/state-codec.ts';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import { History, planOf } from '../../../../support/history.ts';

/* In any graph, an execution that does not complete undoes each completed step once, the last first. */

const work = { type: 'python_fn', module: 'm', function: 'f' };
/** The ends at which a node is undone. */
const UNDO_ON: readonly (readonly string[])[] = [
  [],
  ['failed'],
  ['cancelled'],
  ['failed', 'cancelled'],
];

/** A graph without loops, in which any node may have an undo. */
const graph = fc
  .record({
    undos: fc.array(fc.constantFrom(...UNDO_ON), { minLength: 3, maxLength: 7 }),
    edges: fc.array(fc.record({ from: fc.nat(6), by: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 6,
      maxLength: 16,
    }),
  })
  .map(({ undos, edges }): JsonObject => {
    const id = (index: number) => `n${index}`;
    const reached = edges.filter(({ from, by }) => from + by < undos.length);
    const pairs = new Set(reached.map(({ from, by }) => `${id(from)} ${id(from + by)}`));
    return {
      start_node: 'n0',
      nodes: Object.fromEntries(
        undos.map((undo, index) => [
          id(index),
          {
            kind: work,
            retry_policy: 'no_retry',
            ...(undo.length > 0 && {
              undo: { kind: work, retry_policy: 'no_retry' },
              undo_on: [...undo],
            }),
          },
        ]),
      ),
      edges: [...pairs].map((pair) => {
        const [from = '', to = ''] = pair.split(' ');
        return { from, to };
      }),
    };
  });

/** Evenly spread: with many small numbers, most executions would end before a step completes. */
const choices = fc.noBias(fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }));

/** The undos that must run, in their order, by the nodes of the workflow. */
function undosDue(history: History, nodes: JsonObject): readonly string[] {
  const ending = history.events.find(({ kind }) => kind === 'WorkflowEnding');
  if (ending?.kind !== 'WorkflowEnding') return [];
  const { outcome } = ending.payload;
  const completed = history.events.flatMap(({ kind, nodeId }) =>
    kind === 'NodeCompleted' && !nodeId.endsWith('.undo') ? [nodeId] : [],
  );
  return completed
    .filter((id) => {
      const { undo, undo_on: on = ['failed', 'cancelled'] } = nodes[id] as JsonObject;
      return undo !== undefined && (on as readonly string[]).includes(outcome);
    })
    .toReversed()
    .map((id) => `${id}.undo`);
}

test('each completed step is undone once, the last first, one at a time', (t) => {
  let undone = 0;
  fc.assert(
    fc.property(graph, choices, (ir, picks) => {
      const history = new History(planOf(ir), {}, (state) => decodeState(encodeState(state)));
      for (const pick of picks) {
        if (history.ended()) break;
        const live = [...history.state.live.values()];
        const undos = live.filter(({ nodeId }) => nodeId.endsWith('.undo'));
        t.true(undos.length <= 1);
        t.true(undos.length === 0 || live.length === 1, 'an undo runs alone');
        const nodeId = live[pick % live.length]?.nodeId ?? '';
        if (undos.length > 0 || pick % 9 > 1) history.complete(nodeId, { pick });
        else if (pick % 9 === 1) history.fail(nodeId);
        else history.record(...cancellationEvents(history.plan, history.state));
      }
      t.true(history.ended());
      const scheduled = history.events.flatMap(({ kind, nodeId }) =>
        kind === 'NodeScheduled' && nodeId.endsWith('.undo') ? [nodeId] : [],
      );
      t.deepEqual(scheduled, undosDue(history, ir['nodes'] as JsonObject));
      t.deepEqual(history.state.undo.pending, []);
      t.is(history.state.undo.undone, scheduled.length);
      undone += scheduled.length;
    }),
    { numRuns: 300 },
  );
  t.true(undone > 50, `only ${undone} steps were undone`);
});
