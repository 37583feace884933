import test, { type ExecutionContext } from 'ava';

import type { Dialect } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { heldAnswer, streamEndlessly } from './model-script.ts';
import { PAIRS, type Pair } from './pairs.ts';
import { APPLICATIONS, openStage, TENANT_OF_CAREFUL, type Stage } from './stage.ts';

const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres'];
const START_MS_MAX = 115_000;
const CONCURRENT_CALLS = 200;
const APPROVAL = { 'svc.approval.required': 'true' };
const TEXT_OF_CLOCK = 'It is 12:00.';

interface Meter {
  readonly measurements: readonly { readonly statistic: string; readonly value: number }[];
}

const chosen = process.env['COMPANION_PAIRS']?.split(',') ?? PAIRS;
for (const pair of PAIRS) if (chosen.includes(pair)) declareScenarios(pair);

/** The chapter of the companion, on one pair and both stores. One runtime follows the other. */
function declareScenarios(pair: Pair): void {
  const places: { stage: Stage | null } = { stage: null };
  const stage = (): Stage => {
    if (places.stage === null) throw new Error('the stage is not open');
    return places.stage;
  };
  for (const dialect of DIALECTS) {
    const check = (title: string, scenario: (t: ExecutionContext, on: Stage) => Promise<void>) =>
      test.serial(`${title} (${pair}, ${dialect})`, (t) => scenario(t, stage()));

    test.serial(`the runtime starts (${pair}, ${dialect})`, async (t) => {
      t.timeout(START_MS_MAX);
      if (places.stage === null) places.stage = await openStage(pair, dialect);
      else await stage().openRuntime(dialect);
      t.pass();
    });
    // One after the other: a busy machine then makes progress within the limit of each test.
    for (const name of dialect === DIALECTS[0] ? APPLICATIONS : []) {
      test.serial(`the ${name} application starts (${pair})`, async (t) => {
        t.timeout(START_MS_MAX);
        await stage().startApplication(name);
        t.pass();
      });
    }
    check('a call is one completed execution with its prompt and response', oneCall);
    check('a call keeps the session of its context', sessionOfContext);
    check('a stream is one completed execution with its whole text', oneStream);
    check('a stream that its subscriber leaves is a cancelled execution', leftStream);
    check('an error of the model fails the execution and reaches the caller', modelError);
    check('the rounds of a tool are one execution, and the tool is counted', toolLoop);
    check('another replica receives the decision of an approval', approvalElsewhere);
    check('a rejected call never reaches the model', rejection);
    check('an approval that nobody decides is rejected by default', timeoutRejects);
    check('an approval that nobody decides is approved where that is the default', timeoutApproves);
    check('a decision that is none is refused', badDecisions);
    check('a call resumes the execution that its context names', resumed);
    check('a resumed call keeps the decision on its execution', resumedApproval);
    check(`${CONCURRENT_CALLS} concurrent calls are as many completed executions`, concurrent);
    check('a runtime killed midway delays no call, and learns of them later', outage);
    check('no execution is left running or paused', nothingHangs);
    if (dialect === DIALECTS.at(-1)) check('entries of the last calls are drained', drained);

    test.serial(`the runtime stops (${pair}, ${dialect})`, async (t) => {
      await stage().closeRuntime();
      t.pass();
    });
  }
  test.after.always(`the applications stop (${pair})`, () => places.stage?.close());
}

async function oneCall(t: ExecutionContext, { first, record }: Stage): Promise<void> {
  const { status, body } = await first.chat('hello');
  t.is(status, 200);
  t.is(body.content, 'Re: hello');
  t.is(body.workflow_id, 'sample.model-call');
  const id = body.execution_id ?? '';
  const execution = await record.until(id, 'completed');
  t.like(execution.input, { session_id: body.session_id, approval_required: false });
  // The limit that ends the execution of an application that dies.
  const events = await record.events(id);
  t.true(events.some((event) => event.kind === 'TimerStarted' && event.node_id === 'call'));
  t.deepEqual(await record.audit(id), [
    { type: 'prompt', advisor: 'svc-audit', content: 'hello' },
    {
      type: 'response',
      advisor: 'svc-audit',
      content: 'Re: hello',
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
    },
  ]);
}

async function sessionOfContext(
  t: ExecutionContext,
  { careful, record, model }: Stage,
): Promise<void> {
  const session = 'session of a customer';
  const { body } = await careful.chat('no text', { 'svc.session.id': session });
  t.is(body.session_id, session);
  const id = body.execution_id ?? '';
  const { input } = await record.until(id, 'completed', TENANT_OF_CAREFUL);
  t.is(input['session_id'], session);
  t.is(model.countOf('no text') > 0, true);
  // Nothing is kept of prompts and responses but the tokens.
  t.deepEqual(await record.audit(id, TENANT_OF_CAREFUL), [
    { type: 'prompt', advisor: 'svc-audit' },
    {
      type: 'response',
      advisor: 'svc-audit',
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
    },
  ]);
  const names = (await careful.get<{ names: readonly string[] }>('/actuator/metrics')).names;
  t.true(names.includes('careful.svc.execution.count'));
  t.false(names.includes('svc.execution.count'));
}

async function oneStream(t: ExecutionContext, on: Stage): Promise<void> {
  const context = { 'svc.session.id': `stream-${crypto.randomUUID()}` };
  const response = await on.first.stream('a long story', context);
  const text = (await response.text()).replaceAll(/^data:|\n/gm, '');
  t.is(text, 'Re: a long story');
  const id = await findBySession(on, context['svc.session.id']);
  await on.record.until(id, 'completed');
  t.like(await on.record.audit(id), [
    { type: 'prompt', content: 'a long story' },
    { type: 'response', content: 'Re: a long story', total_tokens: 18 },
  ]);
}

async function leftStream(t: ExecutionContext, on: Stage): Promise<void> {
  on.model.answer('endless', { take: streamEndlessly });
  const abort = new AbortController();
  const context = { 'svc.session.id': `left-${crypto.randomUUID()}` };
  const response = await on.first.stream('endless', context, abort.signal);
  await response.body?.getReader().read();
  abort.abort();
  const id = await findBySession(on, context['svc.session.id']);
  await on.record.until(id, 'cancelled');
  t.pass();
}

async function modelError(t: ExecutionContext, { first, model, record, ...on }: Stage) {
  model.answer('a bad question', { status: 400 });
  const before = await countOf(first, 'svc.execution.count?tag=status:failed');
  const { status, body } = await first.chat('a bad question', { 'svc.session.id': 'bad' });
  t.is(status, 502);
  const id = await findBySession({ record, ...on }, 'bad');
  const { state, error: told } = await record.until(id, 'failed');
  // The class that the application has caught is the one on record.
  const error = (state['call'] as { readonly error: string }).error;
  t.is(error.split(':')[0], body.error?.split('.').at(-1));
  t.is(told, error);
  t.is(await countOf(first, 'svc.execution.count?tag=status:failed'), before + 1);
}

async function toolLoop(t: ExecutionContext, { first, model, record, ...on }: Stage) {
  model.answer('read the clock', (request) => {
    const messages = request.body['messages'] as readonly { readonly role: string }[];
    if (messages.at(-1)?.role === 'tool') return { text: TEXT_OF_CLOCK };
    return { toolCalls: [{ id: 'call-1', name: 'read_clock', input: '{}' }] };
  });
  const calls = 'svc.tool.calls?tag=tool_name:read_clock';
  const before = await countOf(first, calls);
  const session = `tool-${crypto.randomUUID()}`;
  t.is(await first.tool('read the clock', { 'svc.session.id': session }), TEXT_OF_CLOCK);
  const id = await findBySession({ record, ...on }, session);
  await record.until(id, 'completed');
  t.like(await record.audit(id), [{ type: 'prompt' }, { content: TEXT_OF_CLOCK }]);
  t.is(await countOf(first, calls), before + 1);
}

async function approvalElsewhere(t: ExecutionContext, on: Stage): Promise<void> {
  const question = `pay ${crypto.randomUUID()}`;
  const asked = on.first.chat(question, APPROVAL);
  const id = await pendingOf(on, question);
  const listed = await on.second.get<readonly { execution_id: string }[]>('/svc/approvals/pending');
  t.true(listed.some(({ execution_id }) => execution_id === id));
  t.is(on.model.countOf(question), 0);
  const decision = { decision: 'approved', user_id: 'reviewer', comment: 'fine' };
  t.deepEqual(await on.second.decide(id, decision), {
    status: 200,
    body: { execution_id: id, accepted: true },
  });
  const { status, body } = await asked;
  t.is(status, 200);
  t.is(body.execution_id, id);
  await on.record.until(id, 'completed');
  const received = (await on.record.events(id)).filter(({ kind }) => kind === 'ApprovalReceived');
  t.like(received, [{ node_id: 'approval', payload: { decision: 'approved', comment: 'fine' } }]);
  t.like(await on.record.audit(id), [{ type: 'prompt', content: question }, { type: 'response' }]);
}

async function rejection(t: ExecutionContext, on: Stage): Promise<void> {
  const question = `delete ${crypto.randomUUID()}`;
  const asked = on.first.chat(question, APPROVAL);
  const id = await pendingOf(on, question);
  await on.second.decide(id, { decision: 'rejected', comment: 'too much' });
  t.deepEqual(await asked, { status: 403, body: { execution_id: id, comment: 'too much' } });
  await on.record.until(id, 'failed');
  t.is(on.model.countOf(question), 0);
  t.deepEqual(await on.record.audit(id), []);
}

async function timeoutRejects(t: ExecutionContext, on: Stage): Promise<void> {
  const { status, body } = await on.first.chat('nobody looks', APPROVAL);
  t.is(status, 403);
  t.is(body.comment, 'No decision came within 6s.');
  await on.record.until(body.execution_id ?? '', 'failed');
}

async function timeoutApproves(t: ExecutionContext, { careful, record }: Stage): Promise<void> {
  const { status, body } = await careful.chat('harmless', APPROVAL);
  t.is(status, 200);
  const id = body.execution_id ?? '';
  const { input } = await record.until(id, 'completed', TENANT_OF_CAREFUL);
  t.deepEqual(Object.keys(input).toSorted(), ['approval_required', 'session_id']);
  const kinds = (await record.events(id, TENANT_OF_CAREFUL)).map(({ kind }) => kind);
  t.true(kinds.includes('ApprovalReceived'));
}

async function badDecisions(t: ExecutionContext, { first, record, ...on }: Stage): Promise<void> {
  const { body } = await first.chat('hello');
  const id = body.execution_id ?? '';
  t.like(await first.decide(id, { decision: 'perhaps' }), {
    status: 400,
    body: { error: 'bad request: decision must be approved or rejected' },
  });
  t.deepEqual(await first.decide(id, { decision: 'approved' }), {
    status: 200,
    body: { execution_id: id, accepted: false },
  });
  // An execution of the tenant, but not of this application.
  const ir = { workflow_id: 'other', nodes: { ask: { kind: { type: 'human_approval' } } } };
  await on.runtime().request({ path: '/workflows', body: { ir } });
  const start = { workflow_id: 'other', input: {} };
  const started = await on
    .runtime()
    .request<{ execution_id: string }>({ path: '/executions', body: start });
  const other = started.body.execution_id;
  t.is((await first.decide(other, { decision: 'approved' })).status, 404);
  await on.runtime().request({ method: 'POST', path: `/executions/${other}/cancel` });
  await record.until(other, 'cancelled');
}

async function resumed(t: ExecutionContext, { first, record, ...on }: Stage): Promise<void> {
  const start = { workflow_id: 'sample.model-call', input: { session_id: 's' } };
  const { body } = await on
    .runtime()
    .request<{ execution_id: string }>({ path: '/executions', body: start });
  const id = body.execution_id;
  const context = { 'svc.execution.id': id };
  t.is((await first.chat('go on', context)).body.execution_id, id);
  await record.until(id, 'completed');
  t.like(await record.audit(id), [{ type: 'prompt' }, { content: 'Re: go on' }]);
  // It has ended: the next call with its id is another execution.
  const next = await first.chat('go on', context);
  t.not(next.body.execution_id, id);
  await record.until(next.body.execution_id ?? '', 'completed');
}

async function resumedApproval(t: ExecutionContext, on: Stage): Promise<void> {
  const input = { session_id: 's', approval_required: true };
  const { body } = await on.runtime().request<{ execution_id: string }>({
    path: '/executions',
    body: { workflow_id: 'sample.model-call', input },
  });
  const id = body.execution_id;
  await on.record.until(id, 'paused');
  // The application that started it has died. Its reviewer decides before the next one asks.
  await on.first.decide(id, { decision: 'approved' });
  const resumed = await on.second.chat('again', { ...APPROVAL, 'svc.execution.id': id });
  t.is(resumed.body.execution_id, id);
  await on.record.until(id, 'completed');
}

async function concurrent(t: ExecutionContext, { first, record }: Stage): Promise<void> {
  const questions = Array.from({ length: CONCURRENT_CALLS }, (_, index) => `question ${index}`);
  const answers = await Promise.all(questions.map((question) => first.chat(question)));
  t.deepEqual(
    answers.map(({ body }) => body.content),
    questions.map((question) => `Re: ${question}`),
  );
  const ids = answers.map(({ body }) => body.execution_id ?? '');
  t.is(new Set(ids).size, CONCURRENT_CALLS);
  for (const [index, id] of ids.entries()) {
    await record.until(id, 'completed');
    const content = (await record.audit(id)).map((entry) => entry['content']);
    t.deepEqual(content, [questions[index], `Re: ${questions[index]}`]);
  }
}

async function outage(t: ExecutionContext, on: Stage): Promise<void> {
  const { first, model, record } = on;
  const before = warningsOf(first);
  const held = heldAnswer('late');
  model.answer('wait for it', held.answer);
  const asked = first.chat('wait for it');
  await held.arrived;
  await on.runtime().end('SIGKILL');
  held.release();
  const { body } = await asked;
  t.is(body.content, 'late');
  const without = await first.chat('without a runtime');
  t.deepEqual(without, {
    status: 200,
    body: { ...without.body, content: 'Re: without a runtime', execution_id: null },
  } as unknown as typeof without);
  const health = await first.get<{ components: { svc: unknown } }>('/actuator/health');
  t.like(health.components.svc, {
    status: 'UNKNOWN',
    details: { runtime: 'away', calls_without_durability: 1 },
  });
  t.is(warningsOf(first) - before, 1);
  await on.reopenRuntime();
  await record.until(body.execution_id ?? '', 'completed');
  t.like(await record.audit(body.execution_id ?? ''), [
    { content: 'wait for it' },
    { content: 'late' },
  ]);
  const durable = await eventually(async () => {
    const { body: again } = await first.chat('durable again');
    if (typeof again.execution_id !== 'string') throw new Error('still without durability');
    return again.execution_id;
  });
  await record.until(durable, 'completed');
}

async function nothingHangs(t: ExecutionContext, { record }: Stage): Promise<void> {
  for (const tenantId of [undefined, TENANT_OF_CAREFUL]) {
    for (const status of ['running', 'paused']) {
      await eventually(async () => {
        const left = await record.list(`status=${status}`, tenantId);
        if (left.length > 0) throw new Error(JSON.stringify(left));
      });
    }
  }
  t.pass();
}

async function drained(t: ExecutionContext, { second, record }: Stage): Promise<void> {
  const { body } = await second.chat('the last words');
  await second.stop();
  const id = body.execution_id ?? '';
  const [execution] = (await record.list('limit=5')).filter((one) => one.execution_id === id);
  t.is(execution?.status, 'completed');
  t.is((await record.audit(id)).length, 2);
}

async function findBySession(
  { record }: Pick<Stage, 'record'>,
  sessionId: string,
): Promise<string> {
  return eventually(async () => {
    for (const { execution_id: id } of await record.list('limit=20')) {
      const { input } = await record.read<{ input: Record<string, unknown> }>(`/executions/${id}`);
      if (input['session_id'] === sessionId) return id;
    }
    throw new Error(`no execution has the session ${sessionId}`);
  });
}

/** The execution of a call that waits, from the message to the webhook. */
async function pendingOf({ webhook }: Stage, prompt: string): Promise<string> {
  return eventually(() => {
    const bodies = webhook.received.map(
      ({ body }) => body as unknown as { readonly prompt?: string; readonly execution_id: string },
    );
    const told = bodies.find((body) => body.prompt === prompt);
    if (told === undefined) throw new Error(`the webhook has no message about ${prompt}`);
    return told.execution_id;
  });
}

/** Outages that the application has warned of. */
function warningsOf(app: Stage['first']): number {
  return app.log().split('The svc runtime is away').length - 1;
}

/** 0 before the first one. */
async function countOf(app: Stage['first'], meter: string): Promise<number> {
  const response = await fetch(`${app.url}/actuator/metrics/${meter}`);
  if (response.status === 404) return 0;
  const { measurements } = (await response.json()) as Meter;
  return measurements.find(({ statistic }) => statistic === 'COUNT')?.value ?? 0;
}
