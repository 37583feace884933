import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import { createCpu } from '../../../src/scheduler/pool/pool.ts';
import type { CpuOptions } from '../../../src/scheduler/pool/pool.ts';

const ORDER: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    lines: { type: 'array', items: { type: 'object', required: ['sku'] } },
    size: { enum: ['S', 'M'] },
  },
  required: ['id', 'lines'],
  additionalProperties: false,
};
const ID = '0198f2c4-0000-7000-8000-000000000000';

test('a valid value has no violations; of an invalid one all are told', async (t) => {
  const { cpu } = create(t);
  t.deepEqual(await cpu.validateSchema({ schema: ORDER, value: { id: ID, lines: [] } }), []);
  const violations = await cpu.validateSchema({
    schema: ORDER,
    value: { id: 'x', size: 'L', lines: [{ sku: 'a' }, {}], colour: 'red' },
  });
  t.deepEqual(violations.toSorted(), [
    '/: must NOT have additional properties: "colour"',
    '/id: must match format "uuid"',
    "/lines/1: must have required property 'sku'",
    '/size: must be equal to one of the allowed values: ["S","M"]',
  ]);
});

test('what is small is checked in place, what is large or could be made slow on a thread', async (t) => {
  const { cpu, tasks } = create(t);
  const check = async (schema: JsonObject, value: JsonValue) => {
    t.deepEqual(await cpu.validateSchema({ schema, value }), []);
    return tasks.splice(0).map(({ place }) => place);
  };
  const text = { type: 'string' };
  t.deepEqual(await check(text, 'short'), ['inline']);
  t.deepEqual(await check(text, 'x'.repeat(33 * 1024)), ['thread']);
  t.deepEqual(await check({ description: 'x'.repeat(17 * 1024) }, 'short'), ['thread']);
  t.deepEqual(await check({ pattern: '^s' }, 'short'), ['thread']);
  t.deepEqual(await check({ $defs: { text }, items: { $ref: '#/$defs/text' } }, []), ['thread']);
  t.deepEqual(await check({ items: { uniqueItems: true } }, []), ['thread']);
  t.deepEqual(await check({ format: 'uri-reference' }, 'short'), ['thread']);
});

test('in place and on a thread the answer is the same', async (t) => {
  const { cpu, tasks } = create(t);
  const value = { id: 'x', lines: [{}] };
  const small = await cpu.validateSchema({ schema: ORDER, value });
  const large = await cpu.validateSchema({
    schema: { ...ORDER, description: 'x'.repeat(20_000) },
    value,
  });
  t.deepEqual(
    tasks.map(({ place }) => place),
    ['inline', 'thread'],
  );
  t.deepEqual(small, large);
  t.is(small.length, 2);
});

test('a pattern that backtracks without end is cut off while the event loop goes on', async (t) => {
  const { cpu, tasks } = create(t, { taskMsMax: 2000 });
  const progress = { isDone: false };
  const checking = cpu
    .validateSchema({ schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(60)}!` })
    .finally(() => (progress.isDone = true));
  let turns = 0;
  for (; !progress.isDone; turns++) await setImmediate();
  t.deepEqual(await checking, ['schema /: checking the value against it exceeds the time limit']);
  t.true(turns > 1000, `${turns} turns of the event loop`);
  t.like(tasks[0], { place: 'thread', outcome: 'time_limit' });
  t.deepEqual(await cpu.validateSchema({ schema: { pattern: '^a' }, value: 'a' }), []);
});

test('references that multiply are cut off', async (t) => {
  const levels = Array.from({ length: 40 }, (_, level): [string, JsonObject] => [
    `l${level}`,
    { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
  ]);
  const schema = { $ref: '#/$defs/l0', $defs: { ...Object.fromEntries(levels), l40: { not: {} } } };
  const { cpu } = create(t, { taskMsMax: 2000 });
  const [violation] = await cpu.validateSchema({ schema, value: 1 });
  t.regex(violation ?? '', /exceeds the (time|memory) limit/);
});

test('violations without end are not collected without end', async (t) => {
  const { cpu } = create(t);
  const schema = { items: { type: 'string' } };
  const violations = await cpu.validateSchema({
    schema,
    value: Array.from({ length: 5000 }, () => 1),
  });
  t.is(violations.length, 101);
  t.is(violations.at(-1), '/: there are more violations than are shown');
});

test('a schema that cannot be used is a problem that says where and why', async (t) => {
  const { cpu } = create(t);
  const problemsOf = (schema: JsonObject) => cpu.validateSchema({ schema, value: {} });
  t.deepEqual(await problemsOf({ $ref: 'https://schemas.example/order.json' }), [
    'schema /: cannot resolve the reference https://schemas.example/order.json: schemas are not fetched; put it into $defs',
  ]);
  t.deepEqual(await problemsOf({ properties: { a: { $ref: '#/$defs/nowhere' } } }), [
    'schema /: cannot resolve the reference #/$defs/nowhere: there is nothing at that place',
  ]);
  const [type] = await problemsOf({ properties: { a: { type: 'strin' } } });
  t.regex(type ?? '', /^schema \/properties\/a\/type: must be equal to one of the allowed values/);
  const [pattern] = await problemsOf({ pattern: '(' });
  t.regex(pattern ?? '', /^schema \/: Invalid regular expression/);
  t.deepEqual(await problemsOf({ $ref: '#' }), ['schema /: refers to itself without end']);
  // Here the compiler itself goes round.
  const round = { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };
  t.deepEqual(await problemsOf(round), ['schema /: refers to itself without end']);
  t.deepEqual(await problemsOf({ properties: { child: { $ref: '#' } } }), []);
  t.deepEqual(await problemsOf({ $async: true }), ['schema /$async: is not supported']);
  const [size] = await problemsOf({ description: 'x'.repeat(300_000) });
  t.regex(size ?? '', /^schema \/: is longer than/);
});

test('a schema never resolves to what another one has named', async (t) => {
  const { cpu } = create(t);
  const id = 'https://schemas.example/secret';
  t.deepEqual(await cpu.validateSchema({ schema: { $id: id, type: 'object' }, value: {} }), []);
  const [problem] = await cpu.validateSchema({ schema: { $ref: id }, value: {} });
  t.regex(problem ?? '', /cannot resolve the reference/);
});

test('draft 7 is understood where a schema declares it', async (t) => {
  const { cpu } = create(t);
  const items = [{ type: 'string' }, { type: 'integer' }];
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', items };
  t.deepEqual(await cpu.validateSchema({ schema, value: ['a', 'b'] }), ['/1: must be integer']);
});

test('a decision that fails on its thread rejects with the reason', async (t) => {
  const { cpu, tasks } = create(t);
  await t.throwsAsync(cpu.decide({ ir: {}, snapshot: 'no JSON' }), { message: /JSON/ });
  t.deepEqual(tasks, [{ task: 'decide', place: 'thread', outcome: 'error' }]);
});

function create(
  t: { teardown(action: () => Promise<void>): void },
  options: Partial<CpuOptions> = {},
) {
  const tasks: { task: string; place: string; outcome: string }[] = [];
  const cpu = createCpu({ threads: 1, onTask: (task) => tasks.push(task), ...options });
  t.teardown(() => cpu.close());
  return { cpu, tasks };
}
