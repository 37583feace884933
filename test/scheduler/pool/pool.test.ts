import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { TenantId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import type { CpuCaller } from '../../../src/shared/ports/cpu.ts';
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
const caller: CpuCaller = { tenantId: 'acme' as TenantId, signal: null, whenBusy: 'refused' };
const ID = '0198f2c4-0000-7000-8000-000000000000';

test('a valid value has no violations; an invalid one lists all', async (t) => {
  const { cpu } = create(t);
  t.deepEqual(
    await cpu.validateSchema({ schema: ORDER, value: { id: ID, lines: [] }, caller }),
    [],
  );
  const violations = await cpu.validateSchema({
    caller,
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

test('small values are checked in place, large or costly ones on a thread', async (t) => {
  const { cpu, tasks } = create(t);
  const check = async (schema: JsonObject, value: JsonValue) => {
    t.deepEqual(await cpu.validateSchema({ schema, value, caller }), []);
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
  const small = await cpu.validateSchema({ schema: ORDER, value, caller });
  const large = await cpu.validateSchema({
    caller,
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

test('a stored pattern that backtracks without end is cut off while the event loop continues', async (t) => {
  const { cpu, tasks } = create(t, { taskMsMax: 2000 });
  const progress = { isDone: false };
  const checking = cpu
    .validateSchema({ schema: { pattern: '^(?!b)(a+)+$' }, value: `${'a'.repeat(60)}!`, caller })
    .finally(() => (progress.isDone = true));
  let turns = 0;
  for (; !progress.isDone; turns++) await setImmediate();
  t.deepEqual(await checking, ['schema /: checking the value against it exceeds the time limit']);
  t.true(turns > 1000, `${turns} turns of the event loop`);
  t.like(tasks[0], { place: 'thread', outcome: 'time_limit' });
  t.deepEqual(await cpu.validateSchema({ schema: { pattern: '^a' }, value: 'a', caller }), []);
});

test('patterns are matched in linear time, also where JavaScript would backtrack', async (t) => {
  const { cpu } = create(t, { taskMsMax: 20_000 });
  const value = `${'a'.repeat(20_000)}!`;
  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '(x+x+)+y']) {
    const violations = await cpu.validateSchema({ schema: { pattern }, value, caller });
    t.deepEqual(violations, [`/: must match pattern "${pattern}"`]);
    const names = { patternProperties: { [pattern]: { type: 'string' } } };
    t.deepEqual(await cpu.validateSchema({ schema: names, value: { [value]: 1 }, caller }), []);
  }
});

test('two patterns of one schema are distinguished', async (t) => {
  const { cpu } = create(t);
  const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
  t.deepEqual(await cpu.validateSchema({ schema, value: { a: 'a', b: 'b' }, caller }), []);
  const violations = await cpu.validateSchema({ schema, value: { a: 'b', b: 'a' }, caller });
  t.deepEqual(violations, ['/a: must match pattern "^a$"', '/b: must match pattern "^b$"']);
});

test('a pattern that is not linear is a fault of the schema: it is named, with its places', async (t) => {
  const { cpu } = create(t);
  const slow = '^(?!b)(a+)+$';
  const faults = await cpu.checkSchema({
    schema: {
      properties: { name: { pattern: slow }, size: { pattern: '^[SML]$' } },
      patternProperties: { '(.)\\1': {} },
    },
    caller,
  });
  t.is(faults.length, 2);
  t.regex(
    faults.join('\n'),
    /^\/properties\/name\/pattern: the pattern \^\(\?!b\)\(a\+\)\+\$ looks ahead, /m,
  );
  t.regex(
    faults.join('\n'),
    /^\/patternProperties\/\(\.\)\\1: the pattern .* refers back to a group, /m,
  );
  // Schemas that were stored before are still checked.
  const violations = await cpu.validateSchema({ schema: { pattern: slow }, value: 'ba', caller });
  t.deepEqual(violations, [`/: must match pattern "${slow}"`]);
});

test('formats are checked in linear time', async (t) => {
  const { cpu } = create(t, { taskMsMax: 10_000 });
  for (const [format, text] of SLOW_FORMATS) {
    const value = `${text.repeat(100_000 / text.length)}!`;
    for (const start of ['', 'http://', 'a@', '{', '/', 'P1', '1:']) {
      const violations = await cpu.validateSchema({
        schema: { format },
        value: start + value,
        caller,
      });
      t.false(
        violations.some((violation) => violation.includes('limit')),
        `${format} ${start}${text}`,
      );
    }
  }
  for (const value of ['http://a:b@c.example/x', 'https://a:b:c@d.example', 'ftp://é.example:21']) {
    t.deepEqual(await cpu.validateSchema({ schema: { format: 'url' }, value, caller }), []);
  }
});

const SLOW_FORMATS = [
  'url',
  'uri',
  'uri-reference',
  'email',
  'hostname',
  'byte',
  'uri-template',
  'duration',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
  'ipv6',
  'uuid',
  'regex',
].flatMap((format) =>
  ['a', ':@', 'a.', '-a', '%41', '{a}', '9', '~0', 'AAAA\n'].map((unit) => [format, unit] as const),
);

test('references that multiply are cut off', async (t) => {
  const levels = Array.from({ length: 40 }, (_, level): [string, JsonObject] => [
    `l${level}`,
    { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
  ]);
  const schema = { $ref: '#/$defs/l0', $defs: { ...Object.fromEntries(levels), l40: { not: {} } } };
  const { cpu } = create(t, { taskMsMax: 2000 });
  const [violation] = await cpu.validateSchema({ schema, value: 1, caller });
  t.regex(violation ?? '', /exceeds the (time|memory) limit/);
});

test('violations without end are not collected without end', async (t) => {
  const { cpu } = create(t);
  const schema = { items: { type: 'string' } };
  const violations = await cpu.validateSchema({
    caller,
    schema,
    value: Array.from({ length: 5000 }, () => 1),
  });
  t.is(violations.length, 101);
  t.is(violations.at(-1), '/: there are more violations than are shown');
});

test('a schema that cannot be used is a problem that says where and why', async (t) => {
  const { cpu } = create(t);
  const problemsOf = (schema: JsonObject) => cpu.validateSchema({ schema, value: {}, caller });
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
  // The compiler itself loops over this schema.
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
  t.deepEqual(
    await cpu.validateSchema({ schema: { $id: id, type: 'object' }, value: {}, caller }),
    [],
  );
  const [problem] = await cpu.validateSchema({ schema: { $ref: id }, value: {}, caller });
  t.regex(problem ?? '', /cannot resolve the reference/);
});

test('draft 7 is understood where a schema declares it', async (t) => {
  const { cpu } = create(t);
  const items = [{ type: 'string' }, { type: 'integer' }];
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', items };
  t.deepEqual(await cpu.validateSchema({ schema, value: ['a', 'b'], caller }), [
    '/1: must be integer',
  ]);
});

test('a decision that fails on its thread rejects with the reason', async (t) => {
  const { cpu, tasks } = create(t);
  await t.throwsAsync(cpu.decide({ ir: {}, snapshot: 'no JSON', caller }), { message: /JSON/ });
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
