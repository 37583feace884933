import test from 'ava';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import { NODE_KINDS } from '../../../../src/shared/nodes/index.ts';
import { accept, read } from './read.ts';

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'start', 'end', 'x', '');
const types = fc.constantFrom(
  ...NODE_KINDS.flatMap(({ type, aliases }) => [type, ...aliases]),
  'model',
  'x',
);
const values: fc.Arbitrary<JsonValue> = fc.oneof(
  ids,
  types,
  fc.constantFrom('state.x > 1', '$.a', '2s', 'timer', 'collect', 'true', null, 0, 5),
  fc.array(fc.oneof(ids, fc.record({ target: ids, condition: fc.constantFrom(null, 'state.x') }))),
  fc.jsonValue().map((value) => value as JsonValue),
);
const fieldNames = [
  'id',
  'type',
  'kind',
  'retry_policy',
  'node_timeout_secs',
  'timeout_secs',
  'input_mapping',
  'output_key',
  'fallback_node',
  ...NODE_KINDS.flatMap(({ fields = {} }) => Object.keys(fields)),
];
const fields = fc.dictionary(fc.constantFrom(...fieldNames), values, { maxKeys: 8 });
const right = fc.constantFrom<JsonObject>(
  {},
  { kind: 'python_fn', module: 'm', function: 'f', timeout_secs: 3 },
  { kind: { type: 'wait', timeout_secs: '2s', output_key: 'k' } },
  { type: 'condition', branches: [{ condition: 'state.x', target: 'a' }, { target: 'end' }] },
  { kind: { type: 'map', items: '$.xs', node: { kind: { type: 'pass', output: '$.a' } } } },
  { kind: 'human_approval', description: 'd', fallback_node: 'a' },
  { kind: 'parallel', branches: ['a'] },
  { kind: { type: 'join', retry_policy: { max_attempts: 2 } }, output_key: null },
);
const nodes = fc.oneof(
  { weight: 5, arbitrary: right },
  { weight: 1, arbitrary: fc.tuple(right, fields).map(([node, more]) => ({ ...node, ...more })) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.tuple(types, fields).map(([type, more]) => ({ ...more, type })),
    }),
  },
);
const edges = fc.record(
  { from: ids, to: ids, source: ids, target: ids, condition: values, on: values },
  { requiredKeys: ['from', 'to'] },
);
const definitions = fc.record(
  {
    workflow_id: fc.constant('w'),
    start_node: fc.constantFrom('a', null, 'x'),
    nodes: fc.dictionary(fc.constantFrom('a', 'b', 'c'), nodes).map((some) => ({ a: {}, ...some })),
    edges: fc.array(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({ from: fc.constant('a'), to: fc.constantFrom('a', 'end') }),
        },
        { weight: 1, arbitrary: edges },
      ),
      { maxLength: 3 },
    ),
    labels: fc.constantFrom(null, { a: 'b' }),
  },
  { requiredKeys: ['workflow_id', 'nodes'] },
);

test('invalid JSON makes it throw, and a refusal gives the reason', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.anything(), definitions), (ir) => {
      const result = read(ir);
      return result.ok || result.problems.length > 0;
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('normalising what is stored changes nothing', (t) => {
  let accepted = 0;
  fc.assert(
    fc.property(definitions, (ir) => {
      const first = read(ir);
      if (!first.ok) return;
      accepted += 1;
      const stored = JSON.parse(JSON.stringify(first.ir)) as JsonObject;
      const second = accept(stored);
      t.deepEqual(second.ir, first.ir);
      t.is(second.irHash, first.irHash);
    }),
    { numRuns: 2_000 },
  );
  t.true(accepted > 200, `only ${accepted} definitions were accepted`);
});

test('every problem points into the definition, or at something missing from it', (t) => {
  fc.assert(
    fc.property(definitions, (ir) => {
      const result = read(ir);
      if (result.ok) return true;
      return result.problems.every(({ pointer }) => {
        const parent = pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
        return has(ir, parent);
      });
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

function has(root: unknown, pointer: string): boolean {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

test('2 000 nodes with 6 000 edges are read in well under a second', (t) => {
  const size = 2_000;
  const chain = Array.from({ length: size }, (_, node) => [`n${node}`, { kind: 'pass' }]);
  const links = Array.from({ length: size * 3 }, (_, edge) => ({
    from: `n${edge % size}`,
    to: `n${edge < size ? (edge + 1) % size : (edge * 7_919) % size}`,
    ...(edge < size ? {} : { condition: 'state.x' }),
  }));
  const ir = { workflow_id: 'w', start_node: 'n0', nodes: Object.fromEntries(chain), edges: links };
  // Measures CPU time, because others may use the machine.
  const started = process.cpuUsage();
  t.true(read(ir).ok);
  const { user, system } = process.cpuUsage(started);
  t.true(user + system < 1_000_000, `${user + system} µs`);
});
