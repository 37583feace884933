import test from 'ava';

import { parseScorers } from '../../../../src/shared/domain/eval/parse-scorers.ts';
import type { Scorer } from '../../../../src/shared/domain/eval/scorer.ts';
import type { JsonValue } from '../../../../src/shared/domain/json.ts';
import type { ModelPart } from '../../../../src/shared/domain/workflow/parse/parts.ts';

const MODEL: ModelPart = {
  ref: 'm',
  provider: 'openai',
  model: 'small',
  baseUrl: null,
  temperature: null,
  maxTokens: null,
  timeoutMs: null,
};

function parse(raw: JsonValue): {
  readonly scorers: readonly Scorer[] | null;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const scorers = parseScorers(raw, {
    problem: (pointer, message) => problems.push(`${pointer}: ${message}`),
    variables: [],
    models: new Map([['m', MODEL]]),
  });
  return { scorers, problems };
}

test('names, weights and thresholds have defaults', (t) => {
  const { scorers } = parse([
    { type: 'assertion', check: 'true' },
    { type: 'latency', max_ms: 5, name: 'fast', weight: 0.5, threshold: 0.2 },
    { type: 'cost', max_tokens: 9 },
    { type: 'llm_judge', rubric: 'Good?', model_ref: 'm' },
  ]);
  t.deepEqual(
    scorers?.map(({ name, weight, threshold }) => [name, weight, threshold]),
    [
      ['assertion_1', 1, 1],
      ['fast', 0.5, 0.2],
      ['cost_3', 1, 1],
      ['llm_judge_4', 1, 0.5],
    ],
  );
  t.like(scorers?.[3], { rubric: 'Good?', model: MODEL });
});

const refused: readonly (readonly [JsonValue, string])[] = [
  [null, ': missing scorers'],
  [[], ': must be a list of at least one scorer'],
  [['x'], '/0: a scorer must be an object {type, …}'],
  [[{ type: 'bleu' }], '/0/type: must be one of assertion, latency, cost, llm_judge'],
  [[{ type: 'assertion' }], '/0/checks: missing checks: must be a list of at least one expression'],
  [[{ type: 'assertion', checks: [] }], '/0/checks: must be a list of at least one expression'],
  [
    [{ type: 'assertion', checks: [1] }],
    '/0/checks/0: must be an expression, or {check, name, weight}',
  ],
  [
    [{ type: 'assertion', checks: [{ check: 'true', weight: -1 }] }],
    '/0/checks/0/weight: must be a number from 0 to 1000000',
  ],
  [
    [{ type: 'assertion', checks: [{ check: 'true', weight: 0 }] }],
    '/0/checks: at least one check must have a weight above 0',
  ],
  [[{ type: 'latency' }], '/0/max_ms: missing max_ms'],
  [[{ type: 'latency', max_ms: 0 }], '/0/max_ms: must be a number from 1 to 9007199254740991'],
  [[{ type: 'latency', max_secs: 'soon' }], '/0/max_secs: must be a duration of more than 0'],
  [[{ type: 'cost' }], '/0: missing max_usd or max_tokens'],
  [[{ type: 'llm_judge', model_ref: 'm' }], '/0/rubric: missing rubric'],
  [
    [{ type: 'assertion', check: 'true', weight: 0 }],
    ': at least one scorer must have a weight above 0',
  ],
  [
    [{ type: 'assertion', check: 'true', threshold: 2 }],
    '/0/threshold: must be a number from 0 to 1',
  ],
  [
    [
      { type: 'latency', max_ms: 1, name: 'a' },
      { type: 'latency', max_ms: 2, name: 'a' },
    ],
    '/1/name: there is another scorer a',
  ],
];

for (const [raw, problem] of refused) {
  test(`refused: ${problem}`, (t) => {
    const { scorers, problems } = parse(raw);
    t.is(scorers, null);
    t.deepEqual(problems, [problem]);
  });
}

test('an expression that cannot be read is refused where it stands', (t) => {
  for (const [check, place] of [
    ['output ==', '/0/checks/0: '],
    [{ check: 'expected == 1' }, '/0/checks/0/check: '],
  ] as const) {
    const { problems } = parse([{ type: 'assertion', checks: [check] }]);
    t.is(problems.length, 1);
    t.true(problems[0]?.startsWith(place), problems[0]);
  }
});

test('a judge names its model, or holds it', (t) => {
  const judge = { type: 'llm_judge', rubric: 'Good?' };
  t.like(parse([{ ...judge, model: 'm' }]).scorers?.[0], { model: MODEL });
  const inline = { provider: 'ollama', model: 'tiny' };
  t.like(parse([{ ...judge, model: inline }]).scorers?.[0], { model: inline });
  t.deepEqual(parse([judge]).problems, [
    '/0/model_ref: missing model_ref: the name of one of models',
  ]);
  t.deepEqual(parse([{ ...judge, model_ref: 'x' }]).problems, [
    '/0/model_ref: no model "x" that can be called is in models; give the name of one, or provider/model',
  ]);
  t.deepEqual(parse([{ ...judge, model: { provider: 'ollama' } }]).problems, [
    '/0/model/model: missing model',
  ]);
});
