import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { showDeadLetters } from '../../../src/shared/engine/work/show-dead-letters.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';
import { makeExecutionId } from '../store/contract/make.ts';

/* Reads of an execution whose workflow has a data policy, and the input that its work gets. */

const INPUT = { ssn: '078-05-1120', note: 'mail ann@mail.example' };
const POLICY = { pii_fields: ['ssn'], detectors: ['email'] };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const run = async (t: ExecutionContext, ir: JsonObject) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const inputs: unknown[] = [];
    const svc = openTestEngine({
      store,
      async run(call) {
        inputs.push(call.input);
        return { ok: true, output: { ...INPUT }, statePatch: { last: INPUT } };
      },
    });
    const executionId = await svc.start(ir, INPUT);
    await svc.settle();
    const of = { tenantId: TENANT, executionId };
    const { state } = await svc.engine.readExecution(of);
    const { events } = await svc.engine.readEvents({ ...of, after: 0, limit: null });
    return {
      inputs,
      state,
      events,
      stored: await store.executions.events({ executionId, after: 0, limit: null }),
    };
  };
  const HIDDEN = { ssn: '***', note: 'mail [email]' };

  test(`${dialect}: reads are masked, the work is not`, async (t) => {
    const nodes = { a: { kind: 'call', output_key: 'a' } };
    const { inputs, state, events, stored } = await run(t, { nodes, data_policy: POLICY });
    t.deepEqual(inputs, [INPUT]);
    t.deepEqual(state.input, HIDDEN);
    t.deepEqual(state.data, { ...HIDDEN, a: HIDDEN, last: HIDDEN });
    const text = JSON.stringify(events);
    t.false(text.includes('078-05-1120') || text.includes('ann@'));
    t.true(text.includes('"workflow_id"') && text.includes('[email]'));
    t.true(JSON.stringify(stored).includes('078-05-1120'));
  });

  test(`${dialect}: the reason of a pause is masked, in every reply`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const svc = openTestEngine({ store });
    const worker = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
    const executionId = await svc.start({ nodes: { a: worker }, data_policy: POLICY });
    const of = { tenantId: TENANT, executionId };
    const reason = 'ann@mail.example complained';
    await svc.engine.pauseExecution({ ...of, actorId: 'token:t', reason });
    const told = [
      (await svc.engine.readExecution(of)).state.pauses,
      await svc.engine.readEvents({ ...of, after: 0, limit: null }),
      await svc.engine.explainExecution(of),
    ].map((value) => JSON.stringify(value));
    for (const text of told) {
      t.true(text.includes('[email] complained'), text);
      t.false(text.includes('ann@'));
    }
  });

  for (const [title, policy, shown] of [
    ['by what stands in it', POLICY, { user_id: '[email]', comment: 'asked [email]' }],
    ['by its name', { pii_fields: ['user_id', 'comment'] }, { user_id: '***', comment: '***' }],
    [
      'by its name, removed',
      { pii_fields: ['user_id', 'comment'], action: 'remove' },
      { user_id: null, comment: null },
    ],
  ] as const) {
    test(`${dialect}: the name behind an approval is masked like the comment: ${title}`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      const svc = openTestEngine({ store });
      const nodes = { sign: { kind: { type: 'human_approval', description: 'Sign it?' } } };
      const executionId = await svc.start({ nodes, data_policy: policy });
      const of = { tenantId: TENANT, executionId };
      await svc.engine.decideApproval({
        ...of,
        actorId: 'token:t',
        nodeId: 'sign',
        decision: 'approved',
        userId: 'ann@mail.example',
        comment: 'asked ben@mail.example',
        statePatch: null,
      });
      const { events } = await svc.engine.readEvents({ ...of, after: 0, limit: null });
      const received = events.find(({ kind }) => kind === 'ApprovalReceived');
      t.like(received?.payload, shown);
      const { decided } = await svc.engine.listApprovals(of);
      t.like(decided[0], { userId: shown.user_id, comment: shown.comment });
      t.false(JSON.stringify([events, decided]).includes('@mail'));
    });
  }

  test(`${dialect}: a node's own policy holds for its events, and for the state`, async (t) => {
    const nodes = {
      a: { kind: 'call', output_key: 'a', data_policy: { ...POLICY, action: 'remove' } },
    };
    const { state, events } = await run(t, { nodes });
    t.deepEqual(state.data, {
      note: 'mail ',
      a: { note: 'mail ' },
      last: { note: 'mail ' },
    });
    const completed = events.find(({ kind }) => kind === 'NodeCompleted');
    t.like(completed?.payload, { output: { note: 'mail ' } });
  });

  test(`${dialect}: an output is masked by the name it has in the state`, async (t) => {
    const nodes = { a: { kind: 'call', output_key: 'who' } };
    for (const [field, output] of [
      ['who.ssn', { ...INPUT, ssn: '***' }],
      ['who', '***'],
    ] as const) {
      const { state, events } = await run(t, { nodes, data_policy: { pii_fields: [field] } });
      t.deepEqual(state.data['who'], output);
      const completed = events.find(({ kind }) => kind === 'NodeCompleted');
      t.like(completed?.payload, { output });
    }
    const removed = { pii_fields: ['who'], action: 'remove' };
    const { events } = await run(t, { nodes, data_policy: removed });
    const completed = events.find(({ kind }) => kind === 'NodeCompleted');
    t.false(Object.hasOwn(completed?.payload ?? {}, 'output'));
  });

  test(`${dialect}: lists are masked like what they list`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const svc = openTestEngine({ store });
    const python = {
      kind: { type: 'python_fn', module: 'm', function: 'f' },
      retry_policy: 'no_retry',
    };
    const executionId = await svc.start({ nodes: { a: python }, data_policy: POLICY });
    const [item] = await svc.claim();
    await svc.engine.failWorkItem({
      tenantId: TENANT,
      workItemId: item?.record.workItemId ?? '',
      leaseFence: item?.leaseFence ?? 0,
      executionId: null,
      nodeId: null,
      error: 'no such person: ann@mail.example',
      errorClass: 'error',
      usage: null,
    });
    await svc.settle();
    const page = { limit: 9, offset: 0, cursor: null, tenantId: TENANT };
    const all = { status: null, workflowId: null, createdAfter: null, createdBefore: null };
    const [row] = await svc.engine.listExecutions({ ...page, ...all });
    t.like(row, { executionId, error: 'node a failed: no such person: [email]' });
    const [letter] = await svc.engine.listDeadLetters({ ...page, before: null });
    t.like(letter, { executionId, error: 'no such person: [email]' });
    // As after a removal between the reading of the letters and that of their executions.
    const [stored] = await store.work.listDeadLetters({ ...page, before: null });
    t.is(stored?.error, 'no such person: ann@mail.example');
    const letters = stored ? [{ ...stored, executionId: makeExecutionId() }] : [];
    const [orphan] = await showDeadLetters(svc.deps, letters, TENANT);
    t.is(
      orphan?.error,
      'hidden: the execution of this item has been removed, and its data policy too',
    );
  });

  test(`${dialect}: outputs that are not retained are not shown`, async (t) => {
    const nodes = { a: { kind: 'call', output_key: 'a', data_policy: { retain_outputs: false } } };
    const { state, events } = await run(t, { nodes });
    t.deepEqual(state.data, { ...INPUT, last: INPUT });
    const completed = events.find(({ kind }) => kind === 'NodeCompleted');
    t.deepEqual(completed?.payload, { visit: 0 } as never);
    const whole = await run(t, { nodes, data_policy: { retain_outputs: false } });
    t.deepEqual(whole.state.data, {});
    t.deepEqual(whole.state.input, INPUT);
  });

  test(`${dialect}: data handed over to a run is shown like the outputs themselves`, async (t) => {
    for (const data_policy of [{ pii_fields: ['who.ssn'] }, { retain_outputs: false }]) {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      const run = async () => ({ ok: true, output: { ...INPUT }, statePatch: {} }) as const;
      const svc = openTestEngine({ store, run });
      const first = await svc.start({
        nodes: { a: { kind: 'call', output_key: 'who', data_policy }, b: { kind: 'call' } },
        edges: [{ from: 'a', to: 'b' }],
        continue_as_new: { when: 'true' },
      });
      await svc.settle();
      const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId: first });
      const { events } = await svc.engine.readEvents({
        tenantId: TENANT,
        executionId: state.continuedAs ?? '',
        after: 0,
        limit: 1,
      });
      t.true(JSON.stringify(events).includes('"arrivals":[{'));
      t.false(JSON.stringify(events).includes('078-05-1120'));
    }
  });
}
