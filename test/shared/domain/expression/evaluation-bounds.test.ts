import test from 'ava';
import fc from 'fast-check';
import { evaluateExpression } from '../../../../src/shared/domain/expression/evaluate-expression.ts';
import type {
  EvaluationResult,
  ExpressionScope,
} from '../../../../src/shared/domain/expression/evaluate-expression.ts';
import { parseExpression } from '../../../../src/shared/domain/expression/parse-expression.ts';
import type { JsonValue } from '../../../../src/shared/domain/json.ts';

const large = 'x'.repeat(2_000_000);
const longList = Array.from({ length: 50_000 }, (_, index) => index);
const tree = { a: Array.from({ length: 20_000 }, () => 'abcdefgh'.repeat(16)) };
const scope: ExpressionScope = {
  state: { large, half: `${'x'.repeat(1_000_000)}y`, longList, tree, deep: nest(5_000) },
  output: null,
  input: Object.fromEntries(longList.map((key) => [`k${key}`, key])),
  execution: {},
};

const hostile: readonly (readonly [string, RegExp])[] = [
  ['state.longList.map(x, state.longList.map(y, x * y))', /steps of work/],
  ['state.longList.filter(x, size(input) > x)', /steps of work/],
  ['state.longList.filter(x, input)', /steps of work/],
  ['state.longList.filter(x, state.large.contains(string(x)))', /steps of work/],
  ['state.large.contains(state.half)', /steps of work/],
  ['state.large.split("")', /steps of work/],
  ['state.large.replace("x", state.large)', /steps of work/],
  ['state.longList.map(x, state.large + "y").join("")', /steps of work/],
  ['state.longList.map(x, state.longList + [x])', /steps of work/],
  ['state.longList == state.longList.map(x, x) && -1 in state.longList', /steps of work/],
  ['[1, 2, 3, 4, 5, 6, 7].map(x, state.tree)', /more than 4194304 characters/],
  ['[state.deep] == [state.deep]', /nested too deeply/],
  ['[state.deep]', /nested deeper than 64/],
];

for (const [source, reason] of hostile) {
  test(`bounded: ${source}`, (t) => {
    const result = run(source);
    if (result.ok) return t.fail('gave a value');
    t.regex(result.message, reason);
  });
}

test('a large value is read, measured and passed on', (t) => {
  t.deepEqual(run('size(state.large)'), { ok: true, value: 2_000_000 });
  t.deepEqual(run('state.longList'), { ok: true, value: longList });
  t.deepEqual(run('{"tree": state.tree}'), { ok: true, value: { tree } });
});

test('evaluation never throws, gives JSON only, and gives the same twice', (t) => {
  const { source } = fc.letrec<{ source: string }>((tie) => ({
    source: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('state', 'output', 'input.a', 'state.b', 'state["c"]', 'x', 'execution'),
      fc.constantFrom('null', 'true', '0', '1', '2.5', '"a"', '""', '[]', '{}'),
      fc
        .tuple(
          tie('source'),
          fc.constantFrom('+', '-', '*', '/', '%', '==', '<', 'in'),
          tie('source'),
        )
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(tie('source'), fc.constantFrom('&&', '||', '!='), tie('source'))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc.tuple(tie('source'), tie('source')).map(([left, right]) => `${left}[${right}]`),
      fc.tuple(tie('source'), tie('source')).map(([left, right]) => `[${left}, ${right}]`),
      fc.tuple(tie('source'), tie('source')).map(([key, value]) => `{${key}: ${value}}`),
      fc
        .tuple(tie('source'), fc.constantFrom('map', 'filter', 'all', 'exists'), tie('source'))
        .map(([range, macro, body]) => `${range}.${macro}(x, ${body})`),
      fc
        .tuple(fc.constantFrom('size', 'string', 'int', 'double', '!', '-'), tie('source'))
        .map(([name, value]) => `${name}(${value})`),
      fc
        .tuple(
          tie('source'),
          fc.constantFrom('trim()', 'split("a")', 'join()', 'substring(1)', 'b'),
        )
        .map(([value, call]) => `${value}.${call}`),
    ),
  }));
  const json = fc.jsonValue().map((value) => value as JsonValue);
  const scopes = fc.record({ state: json, output: json, input: json, execution: json });
  fc.assert(
    fc.property(source, scopes, (text, given) => {
      const first = run(text, given);
      t.deepEqual(run(text, given), first);
      if (first.ok) t.true(isJson(first.value), text);
    }),
    { numRuns: 3000 },
  );
});

test('parsing never throws, for any text', (t) => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('state', '.', '[', ']', '(', ')', '"', '!', '?', ':', 'a', '1', '-')),
  );
  fc.assert(
    fc.property(text, (given) => {
      const source = Array.isArray(given) ? given.join('') : given;
      t.is(typeof parseExpression(source).ok, 'boolean');
    }),
    { numRuns: 3000 },
  );
});

function run(source: string, given: ExpressionScope = scope): EvaluationResult {
  const parsed = parseExpression(source);
  return parsed.ok ? evaluateExpression(parsed.expression, given) : parsed;
}

function nest(depth: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return plain && Object.values(value).every(isJson);
}
