import test from 'ava';

import type { Condition } from '../../../../../src/shared/domain/execution/query/condition.ts';
import { gatherCriteria } from '../../../../../src/shared/domain/execution/query/criteria.ts';
import {
  CONDITIONS_MAX,
  parseQuery,
  QUERY_LENGTH_MAX,
  VALUES_MAX,
} from '../../../../../src/shared/domain/execution/query/parse-query.ts';

const ID = 'exec_0198c0de00007000a000000000000009';
const HOUR = 3_600_000;

function conditionsOf(query: string): readonly Condition[] {
  const { conditions, problems } = parseQuery(query);
  if (conditions === null) throw new Error(JSON.stringify(problems));
  return conditions;
}

/** The first mistake, as position, length and the words that the query could have there. */
function mistakeOf(query: string): readonly unknown[] {
  const first = parseQuery(query).problems?.[0];
  return [first?.position, first?.length, first?.expected];
}

test('conditions of every field are read', (t) => {
  t.deepEqual(conditionsOf('status = failed and workflow = "orders" and error ~ "timeout"'), [
    { field: 'status', operator: 'in', values: ['failed'] },
    { field: 'workflow', operator: 'in', values: ['orders'] },
    { field: 'error', operator: 'contains', text: 'timeout' },
  ]);
  t.deepEqual(conditionsOf(`parent = ${ID} and started > -2h AND ended <= 2026-01-31`), [
    { field: 'parent', operator: 'in', values: [ID] },
    { field: 'started', operator: '>', at: { agoMs: 2 * HOUR } },
    { field: 'ended', operator: '<=', at: { instant: '2026-01-31T00:00:00.000Z' } },
  ]);
  t.deepEqual(conditionsOf('status in (failed, Paused) and version != 1.0.0 and workflow~ord'), [
    { field: 'status', operator: 'in', values: ['failed', 'paused'] },
    { field: 'version', operator: 'not_in', values: ['1.0.0'] },
    { field: 'workflow', operator: 'contains', text: 'ord' },
  ]);
  t.deepEqual(conditionsOf(`id in ("${ID}") and created_at >= now`), [
    { field: 'id', operator: 'in', values: [ID] },
    { field: 'started', operator: '>=', at: { agoMs: 0 } },
  ]);
  t.deepEqual(conditionsOf('error_class = "Timeout" and ERROR_CLASS in (a, "b c")'), [
    { field: 'error_class', operator: 'in', values: ['Timeout'] },
    { field: 'error_class', operator: 'in', values: ['a', 'b c'] },
  ]);
  t.deepEqual(conditionsOf('waiting = True'), [{ field: 'waiting', operator: 'is', value: true }]);
});

test('conditions on labels name the label as it is written', (t) => {
  t.deepEqual(conditionsOf('labels.customer = "acme" and Labels.Region/EU != b'), [
    { field: 'labels', label: 'customer', operator: 'in', values: ['acme'] },
    { field: 'labels', label: 'Region/EU', operator: 'not_in', values: ['b'] },
  ]);
  t.deepEqual(conditionsOf('labels.a.b in (x, "y z") and labels.a.b ~ Z'), [
    { field: 'labels', label: 'a.b', operator: 'in', values: ['x', 'y z'] },
    { field: 'labels', label: 'a.b', operator: 'contains', text: 'Z' },
  ]);
  for (const query of ['labels = a', 'labels. = a', `labels.${'n'.repeat(129)} = a`]) {
    t.is(mistakeOf(query)[0], 0, query);
  }
  t.deepEqual(mistakeOf('labels.a > b')[2], ['=', '!=', 'in', '~']);
});

test('or, a label without its name and an unknown field say what to write', (t) => {
  const toldBy = (query: string) => parseQuery(query).problems?.map(({ message }) => message);
  t.deepEqual(toldBy('status = failed or status = cancelled'), [
    'conditions are joined by "and": in place of "or", give a list, such as status in (failed, cancelled)',
  ]);
  t.deepEqual(toldBy('labels = a'), ['no field is named labels; did you mean labels.name?']);
  for (const slip of ['label.customer', 'LABEL.customer']) {
    t.deepEqual(toldBy(`${slip} = a`), [
      `no field is named ${slip}; did you mean labels.customer?`,
    ]);
  }
  for (const name of ['größe', '_a', 'n'.repeat(129)]) {
    const [told = ''] = toldBy(`labels.${name} = a`) ?? [];
    t.true(told.startsWith(`${name} is no name of a label: it has at most 128 letters`), told);
  }
  t.deepEqual(toldBy('customer = a'), [
    'no field is named customer: use status, workflow, version, parent, id, error, error_class, labels.name, waiting, started, ended',
  ]);
});

test('a mistake in a condition on a label names that label', (t) => {
  for (const [query, message] of [
    ['labels.x y = 3', 'labels.x needs an operator: use '],
    ['labels.x > 3', 'labels.x has no >: use '],
    ['labels.x =', 'labels.x needs a value'],
  ] as const) {
    const [problem] = parseQuery(query).problems ?? [];
    t.true(problem?.message.startsWith(message), problem?.message);
  }
});

test('a query of blanks has no condition', (t) => {
  t.deepEqual(conditionsOf(''), []);
  t.deepEqual(conditionsOf('  \n '), []);
});

test('quotes keep text whole, and a backslash keeps the next character', (t) => {
  const texts = (query: string) => conditionsOf(query).map((each) => 'text' in each && each.text);
  t.deepEqual(texts('error ~ "a and b = c"'), ['a and b = c']);
  t.deepEqual(texts(String.raw`error ~ "say \"hi\" \\"`), [String.raw`say "hi" ${'\\'}`]);
  t.deepEqual(texts(`error ~ 'it "is"'`), ['it "is"']);
  t.deepEqual(texts('error ~ ünï'), ['ünï']);
});

test('a mistake says where it is and which words could be there', (t) => {
  const fields = [
    'status',
    'workflow',
    'version',
    'parent',
    'id',
    'error',
    'error_class',
    'labels.name',
    'waiting',
    'started',
    'ended',
  ];
  const statuses = ['running', 'paused', 'completed', 'failed', 'cancelled'];
  t.deepEqual(mistakeOf('state = failed'), [0, 5, fields]);
  t.deepEqual(mistakeOf('waiting = yes'), [10, 3, ['true', 'false']]);
  t.deepEqual(mistakeOf('waiting != true'), [8, 2, ['=']]);
  t.deepEqual(mistakeOf('error_class != a'), [12, 2, ['=', 'in']]);
  t.deepEqual(mistakeOf('error_class = '), [14, 0, []]);
  t.deepEqual(mistakeOf('status > failed'), [7, 1, ['=', '!=', 'in']]);
  t.deepEqual(mistakeOf('status'), [6, 0, ['=', '!=', 'in']]);
  t.deepEqual(mistakeOf('status ='), [8, 0, statuses]);
  t.deepEqual(mistakeOf('status = broken'), [9, 6, statuses]);
  t.deepEqual(mistakeOf('status in failed'), [10, 6, ['(']]);
  t.deepEqual(mistakeOf('status in (failed'), [17, 0, [',', ')']]);
  t.deepEqual(mistakeOf('status = failed workflow = a'), [16, 8, ['and']]);
  t.deepEqual(mistakeOf('status = failed and '), [20, 0, fields]);
  t.deepEqual(mistakeOf('error ~ "open'), [8, 5, ['"']]);
  t.deepEqual(mistakeOf('parent = nobody'), [9, 6, []]);
  t.deepEqual(mistakeOf('started > yesterday'), [10, 9, ['-1h', '-24h', '-7d', 'now']]);
  t.deepEqual(mistakeOf('started > 2026-02-30'), [10, 10, ['-1h', '-24h', '-7d', 'now']]);
  for (const time of ['0000-01-01', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:00-00:01']) {
    t.deepEqual(mistakeOf(`started > ${time}`), [10, time.length, ['-1h', '-24h', '-7d', 'now']]);
  }
  t.deepEqual(mistakeOf('status = failed; drop'), [15, 1, []]);
  t.regex(parseQuery('statsu = failed').problems?.[0]?.message ?? '', /did you mean status/);
});

test('the mistakes of all conditions are reported, in their order', (t) => {
  const { problems } = parseQuery(
    'state = failed and status = broken and started > -2h and ended 3',
  );
  t.deepEqual(
    problems?.map(({ position }) => position),
    [0, 28, 63],
  );
});

test('queries, lists and the number of conditions have a limit', (t) => {
  const many = (count: number) =>
    Array.from({ length: count }, () => 'status = failed').join(' and ');
  t.is(conditionsOf(many(CONDITIONS_MAX)).length, CONDITIONS_MAX);
  t.not(parseQuery(many(CONDITIONS_MAX + 1)).problems, null);
  const list = (count: number) => `version in (${Array.from({ length: count }, () => 'a').join()})`;
  t.is(parseQuery(list(VALUES_MAX)).problems, null);
  t.not(parseQuery(list(VALUES_MAX + 1)).problems, null);
  t.not(parseQuery(' '.repeat(QUERY_LENGTH_MAX + 1)).problems, null);
});

test('no text makes the parser throw, and each mistake is inside of the text', (t) => {
  const parts = [
    'status',
    '=',
    'in',
    '(',
    ')',
    ',',
    '"',
    "'",
    '\\',
    'and',
    '-2h',
    ' ',
    '~',
    '𝒳',
    ';',
  ];
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 3_000; round += 1) {
    const query = Array.from({ length: next(12) }, () => parts[next(parts.length)]).join('');
    for (const { position, length } of parseQuery(query).problems ?? []) {
      t.true(position >= 0 && position + length <= query.length, query);
    }
  }
});

test('conditions on one field are gathered into one', (t) => {
  const now = Date.parse('2026-01-31T12:00:00.000Z');
  const gather = (query: string) => gatherCriteria(conditionsOf(query), now);
  t.deepEqual(gather('status in (failed, paused) and status != paused').statuses, ['failed']);
  t.deepEqual(gather('status = failed and status = paused').statuses, []);
  t.is(gather('').statuses, null);
  t.deepEqual(gather('workflow in (a, b) and workflow in (b, c) and workflow ~ Bé').workflow, {
    in: ['b'],
    notIn: [],
    contains: ['bé'],
  });
  t.deepEqual(gather('started > -2h and started >= -1h and started <= now').started, {
    from: '2026-01-31T11:00:00.000Z',
    before: '2026-01-31T12:00:00.001Z',
  });
  t.deepEqual(gather('ended > -2h').ended, { from: '2026-01-31T10:00:00.001Z', before: null });
  const last = '9999-12-31T23:59:59.999Z';
  t.deepEqual(gather(`ended > ${last} and ended <= ${last}`).ended, { from: last, before: last });
});
