import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { lookedInto } from '../../../../src/shared/engine/artifacts/looked-into.ts';

test('the keys of expressions are looked into, and of paths that lead on', (t) => {
  t.deepEqual(
    keysIn({
      nodes: {
        fetch: { kind: { type: 'python_fn' }, input_mapping: { page: '$.crawl.page' } },
        each: { kind: { type: 'map', items: '$.fetch.rows', node: 'one' } },
        ask: { kind: { type: 'model', prompt: 'Sum up {{ state.text["some key"] }}' } },
        add: { input_mapping: { sum: { expr: "state.order['total'] * 2" } } },
      },
      edges: [{ from: 'fetch', to: 'each', condition: 'output.status == "ok"' }],
    }),
    ['crawl', 'fetch', 'order', 'rows', 'some key', 'status', 'text', 'total'],
  );
});

test('expressions by which a run continues as another look in too', (t) => {
  t.deepEqual(keysIn({ continue_as_new: { when: 'size(state.rows) > 20' } }), ['rows']);
});

test('a long text is read in time linear in its length', (t) => {
  for (const unit of ['state', 'state ', 'aa,', 'output [', '{{', '["']) {
    const condition = unit.repeat(200_000 / unit.length);
    const begun = performance.now();
    lookedInto({ nodes: {}, edges: [{ from: 'a', to: 'b', condition }] });
    t.true(performance.now() - begun < 5000, unit);
  }
});

test('descriptions of a workflow look into nothing', (t) => {
  const description = 'As in state.report, the output is a page';
  const ir = { description, nodes: { a: { description, labels: { see: 'x.y' } } }, edges: [] };
  t.deepEqual(keysIn(ir), []);
  t.false(lookedInto(ir).outputItself);
});

test('the output itself is looked into by its name alone', (t) => {
  const looks = (condition: string) =>
    lookedInto({ edges: [{ from: 'a', to: 'b', condition }] }).outputItself;
  for (const text of [
    'size(output) > 3',
    '$output',
    'has(state.a) && output != null',
    'output[0].name == "x"',
    'output[1 - 1]',
    'output.exists(row, row.name == "x")',
    'output .size () == 2',
  ]) {
    t.true(looks(text), text);
  }
  for (const text of [
    'output.status',
    'output["a"]',
    "output['a'] == 1",
    'state.output',
    'outputs',
  ]) {
    t.false(looks(text), text);
  }
  const mapped = { nodes: { a: { input_mapping: { x: '$output' } } } };
  t.false(lookedInto(mapped).outputItself);
});

test('the value at the end of a path is seen whole, and so may be the state itself', (t) => {
  const of = (prompt: string, input_mapping = {}) => {
    const looks = lookedInto({ nodes: { a: { kind: { type: 'model', prompt }, input_mapping } } });
    return [[...looks.ends].toSorted(), looks.outputItself, looks.stateItself];
  };
  t.deepEqual(of('Sum up {{ state.a.b }} of {{ state.c["d"] }}, {{ state.e.size() }}'), [
    ['b', 'd', 'e', 'size'],
    false,
    false,
  ]);
  t.deepEqual(of('Sum up {{ state }}'), [[], false, true]);
  t.deepEqual(of('Sum up {{output}}'), [[], true, false]);
  t.deepEqual(of('Say what the output of a state may be'), [[], false, false]);
  const mapping = { doc: '$.report.page', all: '$output' };
  t.deepEqual(of('Hello', mapping), [[], false, false]);
  t.deepEqual(of('Sum up {{ input.doc }}', mapping), [['doc', 'page'], true, false]);
});

function keysIn(ir: JsonObject): readonly string[] {
  return [...lookedInto(ir).keys].toSorted();
}
