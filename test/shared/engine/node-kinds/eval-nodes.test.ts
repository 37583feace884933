import test, { type ExecutionContext } from 'ava';

import { createModelClient } from '../../../../src/shared/clients/models/create-model-client.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { LIST_PRICES } from '../../../../src/shared/domain/models/prices.ts';
import { createEvalRunner } from '../../../../src/shared/nodes/eval/run.ts';
import { createModelRunner } from '../../../../src/shared/nodes/model/run.ts';
import type { NodeRunner } from '../../../../src/shared/nodes/run.ts';
import { createGuardedFetch } from '../../../../src/shared/security/guarded-fetch.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import {
  startFakeModelProvider,
  type ModelRequest,
} from '../../../support/servers/fake-model-provider.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Nodes of kind `eval` in an engine with a real store, with a provider's API on loopback. */

const AT_ONCE = { max_attempts: 3, initial_delay: 0, backoff: 'fixed', jitter: false };
const MODELS = {
  writer: { provider: 'openai', model: 'gpt-5-mini' },
  judge: { provider: 'openai', model: 'gpt-5-nano' },
  other: { provider: 'openai', model: 'other' },
};
const JUDGE = { type: 'llm_judge', name: 'polite', rubric: 'Is it polite?', model_ref: 'judge' };

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
  const provider = await startFakeModelProvider();
  const { store, age, close } = await openTestStore(dialect);
  const fetch = createGuardedFetch({ allowPrivate: true });
  const client = createModelClient({
    settings: {
      findProvider: () => ({ apiKey: 'sk-engine', baseUrl: provider.baseUrls.openai }),
      allowedBaseUrls: [],
    },
    prices: LIST_PRICES,
    cpu: { validateSchema: () => Promise.resolve([]) },
    trustedFetch: fetch,
    guardedFetch: fetch,
    now: Date.now,
  });
  const runners = new Map<string, NodeRunner>([
    ['model', createModelRunner({ models: client, now: () => 0 })],
    ['eval', createEvalRunner({ models: client, history: store.executions })],
  ]);
  const svc = openTestEngine({ store, runners });
  t.teardown(async () => {
    await close();
    await provider.close();
  });
  const read = async (executionId: Awaited<ReturnType<typeof svc.start>>) => {
    const of = { tenantId: TENANT, executionId };
    const { events } = await svc.engine.readEvents({ ...of, after: 0, limit: null });
    const { state } = await svc.engine.readExecution(of);
    const payloads = (kind: string, nodeId: string) =>
      events
        .filter((event) => event.kind === kind && event.nodeId === nodeId)
        .map(({ payload }) => payload as JsonObject);
    return { state: state.data, status: state.status, error: state.error, payloads };
  };
  return { ...svc, provider, age, read };
}

/** Draft, judge, publish. */
const flow = (kind: JsonObject, more: JsonObject = {}, draft: JsonObject = {}): JsonObject => ({
  models: MODELS,
  start_node: 'draft',
  nodes: {
    draft: { kind: { type: 'model', model_ref: 'writer', prompt: 'Write.', ...draft } },
    check: {
      kind: { type: 'eval', ...kind },
      output_key: 'verdict',
      retry_policy: AT_ONCE,
      ...more,
    },
    publish: {},
    other: {},
  },
  edges: [
    { from: 'draft', to: 'check' },
    { from: 'check', to: 'publish' },
    { from: 'check', to: 'other', on: 'failure' },
  ],
});

const answerWith = (score: number) => ({ text: `{"score": ${score}, "reason": "it is ${score}"}` });
const asks = ({ body }: ModelRequest) => JSON.stringify(body);

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a model judges the output, and its judgement is on record`, async (t) => {
    const svc = await open(t, dialect);
    svc.provider.answer('gpt-5-mini', { text: 'Thank you.' });
    svc.provider.answer('gpt-5-nano', { ...answerWith(0.8), inputTokens: 100, outputTokens: 10 });
    const id = await svc.start(flow({ input_expr: 'output.text', scorers: [JUDGE] }));
    await svc.settle();
    const { status, state, payloads } = await svc.read(id);
    t.is(status, 'completed');
    t.deepEqual(state['verdict'], {
      passed: true,
      score: 0.8,
      scorers: [
        { name: 'polite', type: 'llm_judge', score: 0.8, passed: true, reason: 'it is 0.8' },
      ],
    });
    t.like(payloads('NodeProgress', 'check')[0], {
      name: 'judgement polite',
      data: { score: 0.8, reason: 'it is 0.8' },
      kept: true,
    });
    t.like(payloads('NodeCompleted', 'check')[0]?.['usage'], {
      input_tokens: 100,
      output_tokens: 10,
    });
    const [asked] = svc.provider.requestsFor('gpt-5-nano').map(asks);
    t.true(asked?.includes('Is it polite?'));
    t.true(asked?.includes('Thank you.'));
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: an output that does not pass returns, with the verdict, until it does`, async (t) => {
    const svc = await open(t, dialect);
    const scores = [0.1, 0.2, 0.9];
    svc.provider.answer('gpt-5-nano', () => answerWith(scores.shift() ?? 0));
    const draft = { prompt: 'Before: {{ output.scorers[0].reason }}' };
    const id = await svc.start(
      flow({ scorers: [JUDGE], on_fail: 'retry', max_retries: 2 }, {}, draft),
    );
    await svc.settle();
    const round = ['NodeScheduled draft', 'NodeCompleted draft', 'NodeScheduled check'];
    const judged = ['NodeProgress check', 'NodeCompleted check'];
    t.deepEqual(await svc.story(id), [
      'WorkflowStarted',
      ...round,
      ...judged,
      ...round,
      ...judged,
      ...round,
      ...judged,
      'NodeScheduled publish',
      'NodeCompleted publish',
      'NodeSkipped other',
      'WorkflowCompleted',
    ]);
    const { payloads } = await svc.read(id);
    t.deepEqual(
      payloads('NodeCompleted', 'check').map(({ targets }) => targets ?? null),
      [['draft'], ['draft'], null],
    );
    t.true(svc.provider.requestsFor('gpt-5-mini').map(asks)[2]?.includes('Before: it is 0.2'));
  });

  test(`${dialect}: after the last retry it fails, and a failure edge leads on`, async (t) => {
    const svc = await open(t, dialect);
    svc.provider.answer('gpt-5-nano', answerWith(0.1));
    const id = await svc.start(flow({ scorers: [JUDGE], on_fail: 'retry', max_retries: 1 }));
    await svc.settle();
    const { status, payloads } = await svc.read(id);
    t.is(status, 'completed');
    t.like(payloads('NodeFailed', 'check')[0], {
      visit: 1,
      error: 'the evaluation was not passed after 1 retries: polite 0.1, below 0.5',
      error_class: 'eval_failed',
      retryable: false,
    });
    t.is(svc.provider.requestsFor('gpt-5-mini').length, 2);
    t.true((await svc.story(id)).includes('NodeCompleted other'));
  });

  test(`${dialect}: cost and time of the node before are found in the history`, async (t) => {
    const svc = await open(t, dialect);
    svc.provider.answer('gpt-5-mini', { text: 'Hi', inputTokens: 1000, outputTokens: 100 });
    const scorers = [
      { type: 'cost', name: 'cheap', max_usd: 0.0001, max_tokens: 5000 },
      { type: 'cost', name: 'short', max_tokens: 1100 },
      { type: 'latency', name: 'fast', max_ms: 60_000 },
    ];
    const branch = { branch: { target: 'other' } };
    const id = await svc.start(flow({ scorers, on_fail: branch }));
    await svc.settle();
    const { state } = await svc.read(id);
    const verdict = state['verdict'] as { scorers: { passed: boolean; reason: string }[] };
    t.deepEqual(
      verdict.scorers.map(({ passed }) => passed),
      [false, true, true],
    );
    t.is(verdict.scorers[0]?.reason, '$0.00045, at most $0.0001; 1100 tokens, at most 5000');
    t.regex(verdict.scorers[2]?.reason ?? '', /^\d+ ms, at most 60000 ms$/);
    const story = await svc.story(id);
    t.true(story.includes('NodeCompleted other'));
    t.true(story.includes('NodeSkipped publish'));
  });

  test(`${dialect}: an old start is still found`, async (t) => {
    const svc = await open(t, dialect);
    const items = Array.from({ length: 400 }, (_, n) => n);
    const id = await svc.start({
      start_node: 'all',
      nodes: {
        all: { kind: { type: 'map', items, node: { kind: 'pass' } } },
        check: {
          kind: { type: 'eval', scorers: [{ type: 'latency', max_ms: 60_000 }] },
          output_key: 'verdict',
        },
      },
      edges: [{ from: 'all', to: 'check' }],
    });
    await svc.settle();
    const { status, state } = await svc.read(id);
    t.is(status, 'completed');
    t.like(state['verdict'], { passed: true });
  });
}

test('a model that gives no judgement is asked again, one that has given its own is not', async (t) => {
  const svc = await open(t);
  const said = ['I would rather not.', '{"score": 1, "reason": "well"}'];
  svc.provider.answer('gpt-5-nano', answerWith(1));
  svc.provider.answer('other', () => ({ text: said.shift() ?? '' }));
  const scorers = [JUDGE, { ...JUDGE, name: 'brief', model_ref: 'other' }];
  const id = await svc.start(flow({ scorers }));
  await svc.settle();
  const { status, payloads } = await svc.read(id);
  t.is(status, 'completed');
  t.like(payloads('NodeFailed', 'check')[0], {
    error: 'other gave no judgement: the answer holds no JSON object',
    error_class: 'invalid_response',
    retryable: true,
  });
  t.is(svc.provider.requestsFor('gpt-5-nano').length, 1);
  t.is(svc.provider.requestsFor('other').length, 2);
});

test('a provider that is busy costs no attempt, and no judgement is asked for twice', async (t) => {
  const svc = await open(t);
  svc.provider.answer('gpt-5-nano', answerWith(1));
  svc.provider.answer('other', { status: 429, headers: { 'retry-after': '7' } });
  const scorers = [JUDGE, { ...JUDGE, name: 'brief', model_ref: 'other' }];
  const id = await svc.start(flow({ scorers }));
  for (let round = 0; round < 4; round += 1) {
    await svc.settle();
    await svc.age({ table: 'retry_timers', columns: ['due_at'], byMs: 8_000 });
  }
  svc.provider.answer('other', answerWith(1));
  await svc.settle();
  const { status, payloads } = await svc.read(id);
  t.is(status, 'completed');
  t.like(payloads('NodeFailed', 'check')[0], { error_class: 'rate_limited', counted: false });
  t.is(svc.provider.requestsFor('gpt-5-nano').length, 1);
  t.is(svc.provider.requestsFor('other').length, 5);
});

test('a judge that the policy does not allow is not asked, nor is any after it', async (t) => {
  const svc = await open(t);
  svc.provider.answer('gpt-5-nano', answerWith(1));
  const scorers = [JUDGE, { ...JUDGE, name: 'second', model_ref: 'other' }];
  const policy = { model_allowlist: ['openai/gpt-*'] };
  const id = await svc.start({ ...flow({ scorers }), policy });
  await svc.settle();
  const { payloads } = await svc.read(id);
  t.like(payloads('NodeFailed', 'check')[0], {
    error: 'the policy does not allow the model openai/other',
    error_class: 'policy_violation',
    retryable: false,
  });
  t.is(svc.provider.requestsFor('other').length, 0);
});

test('an execution that ended in the run before this one has an unknown time', async (t) => {
  const svc = await open(t);
  const id = await svc.start(
    {
      start_node: 'count',
      nodes: {
        count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } },
        check: {
          kind: { type: 'eval', scorers: [{ type: 'latency', max_ms: 60_000 }], on_fail: 'warn' },
          output_key: 'verdict',
        },
      },
      edges: [{ from: 'count', to: 'check' }],
      continue_as_new: { when: 'state.n == 3' },
    },
    { n: 2 },
  );
  await svc.settle();
  const { continuedAs } = (await svc.engine.readExecution({ tenantId: TENANT, executionId: id }))
    .state;
  if (continuedAs === null) return t.fail('it did not continue as a new one');
  const { status, state } = await svc.read(continuedAs);
  t.is(status, 'completed');
  t.like((state['verdict'] as { scorers: object[] }).scorers[0], {
    reason: 'no duration is known',
  });
});
