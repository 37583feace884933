import test from 'ava';
import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { QUOTA_KEY_MAX } from '../../../src/shared/domain/work/quota.ts';
import { accept, lines } from '../domain/workflow/read.ts';
import { enter, nodeProblems, planOf } from './enter.ts';

const COORDINATES = { workflow_id: 'w', workflow_version: '1.0.0', node_id: 'n' };
const PYTHON = { kind: { type: 'python_fn', module: 'shop', function: 'pay' } };

test('python_fn: work on python_tool, with the whole state as input', (t) => {
  t.deepEqual(enter(PYTHON, { state: { total: 3 } }), {
    do: 'work',
    queue: 'python_tool',
    input: { total: 3 },
    payload: { ...COORDINATES, module: 'shop', function: 'pay' },
  });
});

test('python_fn: a mapped input replaces the state', (t) => {
  const entry = enter({ ...PYTHON, input_mapping: { sum: '$.total' } }, { state: { total: 3 } });
  t.like(entry, { do: 'work', input: { sum: 3 } });
});

test('python_fn: an item of a map goes beside the state, under its key', (t) => {
  const item = { key: 'row', value: 7 };
  t.like(enter(PYTHON, { state: { total: 3 }, item }), { input: { total: 3, row: 7 } });
  t.like(enter({ ...PYTHON, input_mapping: { r: 'input.row' } }, { item }), { input: { r: 7 } });
});

test('python_fn: a mapping that fails fails the node', (t) => {
  const entry = enter({ ...PYTHON, input_mapping: { sum: { expr: '1 / 0' } } });
  t.like(entry, { do: 'fail', errorClass: 'expression_error' });
});

test('python_fn: module and function are needed', (t) => {
  t.deepEqual(nodeProblems({ kind: { type: 'python_fn', module: 5 } }), [
    '/kind/module: must be a string',
    '/kind/function: missing function',
  ]);
  t.deepEqual(nodeProblems({ kind: 'python_tool', module: 'm' }), ['/function: missing function']);
});

test('java_fn: the payload carries the names of both worlds', (t) => {
  const payload = {
    ...COORDINATES,
    module: 'com.shop.Till',
    function: 'pay',
    class: 'com.shop.Till',
    method: 'pay',
  };
  const own = { type: 'java_fn', class_name: 'com.shop.Till', method: 'pay' };
  const other = { type: 'java_tool', module: 'com.shop.Till', function: 'pay' };
  for (const kind of [own, other]) {
    t.deepEqual(enter({ kind }), { do: 'work', queue: 'java_tool', input: {}, payload });
  }
});

test('java_fn: class and method are needed', (t) => {
  t.deepEqual(nodeProblems({ kind: { type: 'java_fn' } }), [
    '/kind/class_name: missing class_name',
    '/kind/method: missing method',
  ]);
});

test('the name of the tool is what policies and metrics see', (t) => {
  const { nodes } = planOf({
    start_node: 'p',
    nodes: { p: PYTHON, j: { kind: 'java_fn', class_name: 'a.B', method: 'c' } },
  });
  const toolOf = (id: string) => nodes.get(id)?.kind.tool?.(nodes.get(id)?.spec);
  t.is(toolOf('p'), 'shop.pay');
  t.is(toolOf('j'), 'a.B.c');
});

const LIMITED = { key: 'input.customer', limit: 2 };

test('concurrency: a key must be evaluated to a string, a number or a boolean', (t) => {
  const node = { kind: { ...PYTHON.kind, concurrency: LIMITED } };
  t.like(enter(node, { state: { customer: 'acme' } }), { do: 'work' });
  t.like(enter(node, { state: { customer: false } }), { do: 'work' });
  for (const customer of [null, {}, '', 'x'.repeat(257)]) {
    t.like(enter(node, { state: { customer } }), { do: 'fail', errorClass: 'expression_error' });
  }
});

test('concurrency: a value that cannot be a limit is refused where it stands', (t) => {
  const problems = (concurrency: JsonValue) =>
    nodeProblems({ kind: { ...PYTHON.kind, concurrency } });
  t.deepEqual(problems(LIMITED), []);
  t.deepEqual(problems({ limit: 100_000 }), []);
  t.deepEqual(problems(3), ['/kind/concurrency: must be an object']);
  for (const limit of [0, 1.5, 100_001, '2', null]) {
    t.deepEqual(problems({ limit }), [
      '/kind/concurrency/limit: must be a whole number from 1 to 100000',
    ]);
  }
  t.deepEqual(problems({ limit: 1, key: 3 }), ['/kind/concurrency/key: must be a string']);
  t.deepEqual(problems({ limit: 1, when_full: 'queue' }), [
    '/kind/concurrency/when_full: is not known: use key, limit',
  ]);
});

test('concurrency: a key that reads more than the input is warned about', (t) => {
  const { warnings } = accept({
    nodes: {
      a: { kind: { ...PYTHON.kind, concurrency: { key: 'state.customer', limit: 1 } } },
    },
    tools: {
      t: { kind: 'http', reference: 'https://a.example', rate: { ...PACED, key: 'output.id' } },
    },
  });
  t.deepEqual(lines(warnings).toSorted(), [
    '/nodes/a/kind/concurrency/key: reads state: a key sees only input, the input of the call',
    '/tools/t/rate/key: reads output: a key sees only input, the input of the call',
  ]);
});

const PACED = { key: 'input.customer', limit: 2, per: '1m', burst: 4 };

test('rate: a key must be evaluated to a string, a number or a boolean', (t) => {
  const node = { kind: { ...PYTHON.kind, rate: PACED } };
  t.like(enter(node, { state: { customer: 'acme' } }), { do: 'work' });
  t.like(enter(node, { state: { customer: {} } }), {
    do: 'fail',
    error:
      'rate.key: expression `input.customer` must give text, a number or a boolean, and gives an object for this input: ' +
      'give the call that input by input_mapping, or change the key',
  });
  t.like(enter(node, { state: { customer: 'a'.repeat(QUOTA_KEY_MAX + 1) } }), {
    do: 'fail',
    error:
      `rate.key: expression \`input.customer\` must give 1 to ${QUOTA_KEY_MAX} characters, and gives a text of ${QUOTA_KEY_MAX + 1} characters for this input: ` +
      'give the call that input by input_mapping, or change the key',
  });
});

test('rate: an invalid rate is refused where it stands', (t) => {
  const problems = (rate: JsonValue) => nodeProblems({ kind: { ...PYTHON.kind, rate } });
  t.deepEqual(problems(PACED), []);
  t.deepEqual(problems({ limit: 1_000_000, per: '1d' }), []);
  t.deepEqual(problems('2/s'), ['/kind/rate: must be an object with limit and per']);
  for (const name of ['limit', 'burst']) {
    for (const count of [0, 1.5, 1_000_001, '2']) {
      t.deepEqual(problems({ ...PACED, [name]: count }), [
        `/kind/rate/${name}: must be a whole number from 1 to 1000000`,
      ]);
    }
  }
  for (const per of ['500ms', '2d', 'soon', null]) {
    t.deepEqual(problems({ ...PACED, per }), [
      '/kind/rate/per: must be a duration from "1s" to "1d"',
    ]);
  }
  t.deepEqual(problems({ ...PACED, key: 3 }), ['/kind/rate/key: must be a string']);
  t.deepEqual(problems({ ...PACED, every: '1s' }), [
    '/kind/rate/every: is not known: use key, limit, per, burst',
  ]);
});
