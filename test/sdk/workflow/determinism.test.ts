import test from 'ava';
import fc from 'fast-check';
import { at, cel, httpTool, jsonSchema, literal, orElse, raw, workflow } from 'svc-sdk/workflow';

/* The same program gives the same bytes for any order of its options. */

/** The same object with its members in another order, at every depth. */
type Shuffle = <T>(options: T) => T;

function build(shuffle: Shuffle) {
  return workflow(
    'shuffled',
    shuffle({
      version: '2',
      name: 'Shuffled',
      retryPolicies: {
        patient: { maxAttempts: 5, backoff: 'fixed', initialDelay: '1s' },
        brief: { maxAttempts: 2, jitter: false },
        other: { maxDelay: 9, retryableOn: ['timeout'] },
      },
      timeouts: { nodeTimeout: 5, workflowTimeout: '1h' },
      models: {
        a: { provider: 'openai', model: 'x', maxTokens: 5 },
        b: { model: 'y', provider: 'google', temperature: 1 },
      },
      tools: {
        get: httpTool(shuffle({ url: 'https://a.example', method: 'GET', timeout: 3 })),
        put: httpTool(shuffle({ method: 'PUT', url: 'https://b.example', description: 'Puts.' })),
      },
      policy: { blockedTools: ['x'], modelAllowlist: ['y'] },
      dataPolicy: { action: 'hash', piiFields: ['a'], retainPrompts: true },
      tokenBudget: { totalTokens: 5, inputTokens: 3 },
      expose: { a2a: true, result: '$.x' },
    } as const),
  )
    .step('one', (s) =>
      s.tool(
        'get',
        shuffle({
          retryPolicy: { backoff: 'linear', maxAttempts: 3 },
          outputKey: 'got',
          nodeTimeout: 3,
          description: 'Gets.',
          policy: { requireApprovalFor: ['z'], blockedTools: [] },
        } as const),
      ),
    )
    .next('two', (s) =>
      s.agent(
        shuffle({
          agent: 'auto',
          weights: { cost: 1, trust: 2, latency: 3, skills: 4 },
          tiebreaker: 'model',
          model: 'a',
        } as const),
      ),
    )
    .edge('two', 'one', shuffle({ on: 'failure', condition: cel`state.n > 3` } as const))
    .start('one')
    .build();
}

const written = JSON.stringify(build((options) => options).toIR());

test('the order of options does not change a byte', (t) => {
  t.true(written.length > 1000);
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 20, maxLength: 60 }), (picks) => {
      const shuffled = JSON.stringify(build((options) => reorder(options, picks)).toIR());
      return shuffled === written;
    }),
  );
});

test('one caller’s change of a definition is invisible to other callers', (t) => {
  const built = build((options) => options);
  Object.assign(built.toIR(), { nodes: null });
  t.is(JSON.stringify(built.toIR()), written);
});

test('members of schemas and mappings keep the order that they have', (t) => {
  const built = workflow('ordered', { state: jsonSchema({ type: 'object', properties: {} }) })
    .step('a', ({ pass }) => pass({ output: { b: 1, a: 2 } }))
    .build();
  t.regex(JSON.stringify(built.toIR()), /"type":"object","properties".*"b":1,"a":2/);
});

const VALUES = jsonSchema<{
  readonly list: readonly { readonly x: string }[];
  readonly 'odd key': { readonly '0': string };
  readonly in: string;
  readonly note?: string;
}>({});

test('references, expressions and plain values are written as the definition reads them', (t) => {
  const built = workflow('values', { state: VALUES })
    .step('a', ({ state, input, execution, pass }) =>
      pass({
        output: {
          path: at(state.list, 0).x,
          whole: input,
          id: execution.id,
          odd: state['odd key'][0],
          reserved: cel`${state.in} + ${'a"b'}`,
          other: orElse(state.note, 'none'),
          backslash: cel`${state.in}.split("\\d")`,
          text: '$.not.a.path',
          word: 'state.total',
          literal: literal(3),
          raw: raw('$output.x'),
          object: { literal: { expr: 'x' } },
        },
      }),
    )
    .build();
  t.deepEqual(built.toIR()['nodes'], {
    a: {
      kind: {
        type: 'pass',
        output: {
          path: '$.list[0].x',
          whole: '$input',
          id: '$execution.id',
          odd: { expr: 'state["odd key"][0]' },
          reserved: { expr: 'state["in"] + "a\\"b"' },
          other: { expr: 'state.note != null ? state.note : "none"' },
          backslash: { expr: 'state["in"].split("\\\\d")' },
          text: { literal: '$.not.a.path' },
          word: { literal: 'state.total' },
          literal: { literal: 3 },
          raw: '$output.x',
          object: { literal: { literal: { expr: 'x' } } },
        },
      },
    },
  });
});

test('a program in JavaScript learns of unknown steps, second steps and what is no step', (t) => {
  const begun = workflow('w').step('a', ({ pass }) => pass());
  const loose: { edge(...args: string[]): { build(): unknown } } = Object(begun);
  t.throws(() => loose.edge('a', 'b').build(), {
    message: 'w: an edge names b, which is no step; known are end, a',
  });
  const again: { step(id: string, make: (s: { pass(): unknown }) => unknown): unknown } =
    Object(begun);
  t.throws(() => again.step('b', () => ({})), { message: /the step b must return a step/ });
  t.throws(() => again.step('a', (s) => s.pass()), { message: 'the step a exists twice' });
});

function reorder<T>(value: T, picks: readonly number[]): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if ('~kind' in value || '~tool' in value || '~standard' in value) return value;
  const members = Object.entries(value).map(
    ([key, member], index) => [key, reorder(member, picks), picks[index % picks.length]] as const,
  );
  const sorted = members.toSorted(([, , left = 0], [, , right = 0]) => left - right);
  return Object.assign(Object.create(null), Object.fromEntries(sorted));
}
