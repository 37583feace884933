import fc from 'fast-check';
import test from 'ava';
import { z } from 'zod';

import { compileReader, REFUSED } from '../../src/api/compile-reader.ts';
import { routes } from '../../src/api/routes.ts';

const ID = '01900000-0000-7000-8000-000000000000';
const WORDS = ['', 'a', ID, '2026-11-21T10:14:00.000Z', '2026-02-30', 'tool.*', 'ä\n', '__proto__'];
const leaf = fc.oneof(
  fc.constantFrom(...WORDS, null, true, false, 0, 1, -1, 9, 10, 0.5, 2 ** 53, 'x'.repeat(600)),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values that the schema mostly accepts, and some beside it. */
function near(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const fits = fitting(def);
  return fits === null
    ? leaf
    : fc.oneof({ weight: 14, arbitrary: fits }, { weight: 1, arbitrary: leaf });
}

function fitting(def: z.core.$ZodTypes['_zod']['def']): fc.Arbitrary<unknown> | null {
  switch (def.type) {
    case 'object': {
      const shape = Object.entries(def.shape).map(([name, one]) => [name, near(one)] as const);
      const known = fc.record(Object.fromEntries(shape), { requiredKeys: [] });
      const all = fc.record(Object.fromEntries(shape));
      const more = fc.dictionary(fc.constantFrom('more', 'tenant_id', '__proto__'), leaf, {
        maxKeys: 1,
      });
      return fc
        .tuple(
          fc.oneof(known, all),
          fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: more }),
        )
        .map(([given, others]) => JSON.parse(JSON.stringify({ ...given, ...others })) as unknown);
    }
    case 'array':
      return fc.array(near(def.element), { maxLength: 3 });
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'union':
      return fc.oneof(...def.options.map(near));
    case 'optional':
    case 'nullable':
    case 'default':
      return fc.oneof(near(def.innerType), fc.constant(null));
    case 'pipe':
      return near(def.in);
    case 'custom':
      return fc.constantFrom({}, { a: 1, b: [{ c: 'd' }] }, { constructor: 1 }, { n: 2 ** 53 });
    case 'string':
      return fc.constantFrom('a', ID, '2026-11-21T10:14:00.000Z', 'tool.*');
    case 'number':
      return fc.constantFrom(0, 1, 5, 100, -1, 0.5);
    case 'boolean':
      return fc.boolean();
    default:
      return null;
  }
}

const SCHEMAS = routes.flatMap(({ name, body, query, params }) =>
  Object.entries({ body, query, params }).flatMap(([part, schema]) =>
    schema === null ? [] : [{ title: `${part} of ${name}`, schema: schema as z.ZodType }],
  ),
);

for (const { title, schema } of SCHEMAS) {
  test(`the ${title} is read as its schema reads it`, (t) => {
    const read = compileReader(schema);
    fc.assert(
      fc.property(near(schema), (value) => {
        const expected = schema.safeParse(value);
        const result = read(value);
        // The reader leaves a value with such a key to the schema.
        if (result === REFUSED && JSON.stringify(value).includes('"__proto__":')) return;
        t.deepEqual(result, expected.success ? expected.data : REFUSED);
        if (expected.success) t.is(JSON.stringify(result), JSON.stringify(expected.data));
      }),
      { numRuns: 150 },
    );
  });
}

test('a reader keeps, drops and refuses members as the schema says', (t) => {
  const value = { a: 1, b: 2 };
  t.deepEqual(compileReader(z.object({ a: z.int() }))(value), { a: 1 });
  t.deepEqual(compileReader(z.looseObject({ a: z.int() }))(value), value);
  t.is(compileReader(z.strictObject({ a: z.int() }))(value), REFUSED);
});

test('a reader refuses a value whose transform reports an issue', (t) => {
  const even = z.int().transform((value, context) => {
    if (value % 2 === 1) context.addIssue({ code: 'custom', message: 'must be even' });
    return value / 2;
  });
  t.is(compileReader(even)(4), 2);
  t.is(compileReader(even)(3), REFUSED);
});

test('a reader asks a schema of a kind that it does not know', (t) => {
  const read = compileReader(z.object({ at: z.coerce.number(), by: z.string().default('me') }));
  t.deepEqual(read({ at: '4', by: 'you' }), { at: 4, by: 'you' });
  t.is(read({ at: 'never', by: 'you' }), REFUSED);
});
