import anyTest, { type TestFn } from 'ava';

import { eventually } from '../../support/eventually.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { approving, claim, startWorkflow, tooling } from '../support/workflows.ts';

const test = anyTest as TestFn<Record<Dialect, TestApi>>;
const DIALECTS = ['sqlite', 'postgres'] as const;
type Dialect = (typeof DIALECTS)[number];

interface Listed {
  readonly execution_id: string;
  readonly node_id: string;
  readonly decision: string | null;
  readonly comment: string | null;
  readonly age_seconds: number;
  readonly requested_at: string;
}

interface Result {
  readonly execution_id: string;
  readonly accepted: boolean;
  readonly error: string | null;
}

for (const dialect of DIALECTS) {
  test.before(`start (${dialect})`, async (t) => {
    t.context[dialect] = await startTestApi({ dialect });
  });
  test.after.always(`stop (${dialect})`, (t) => t.context[dialect].close());

  test.serial(`200: approvals of all executions are listed and decided (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const workflow_id = 'reviewed';
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push(await startWorkflow(api, { ir: approving(workflow_id) }));
    }
    const open = await list(api, `workflow_id=${workflow_id}`);
    t.deepEqual(
      open.map(({ execution_id }) => execution_id),
      ids,
    );
    t.like(open[0], {
      workflow_id,
      visit: 0,
      decision: null,
      otherwise: { outcome: 'fail', to: [] },
    });
    const [first, second] = ids;
    const decisions = [
      { execution_id: first, decision: 'approved', comment: 'fine', user_id: 'ann' },
      { execution_id: first, decision: 'rejected' },
      { execution_id: second, decision: 'rejected', shown_hash: '0'.repeat(64) },
      { execution_id: `exec_${'0'.repeat(32)}`, decision: 'approved' },
    ];
    const { status, body } = await api.call({ path: '/approvals/decide', body: { decisions } });
    t.is(status, 200);
    const results = body['results'] as unknown as Result[];
    t.deepEqual(
      results.map(({ accepted }) => accepted),
      [true, false, false, false],
    );
    t.is(results[1]?.error, null);
    t.regex(results[2]?.error ?? '', /^conflict: /);
    t.regex(results[3]?.error ?? '', /^not found: /);
    t.is((await list(api, `workflow_id=${workflow_id}`)).length, 2);
    const [decided] = await list(api, `status=decided&workflow_id=${workflow_id}`);
    t.like(decided, {
      execution_id: first,
      decision: 'approved',
      user_id: 'ann',
      comment: 'fine',
    });
    const audit = await api.call({ path: `/audit?event_type=approval_received` });
    t.like((audit.body['items'] as unknown as object[])[0], {
      execution_id: first,
      node_id: 'sign',
      event_type: 'approval_received',
    });
  });

  test.serial(`200: pages follow a cursor (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const ir = approving('paged');
    for (let count = 0; count < 3; count += 1) await startWorkflow(api, { ir });
    const all = await list(api, 'workflow_id=paged');
    const read: Listed[] = [];
    let cursor = '';
    do {
      const path = `/approvals?workflow_id=paged&limit=2${cursor && `&cursor=${cursor}`}`;
      const { body } = await api.call({ path });
      read.push(...(body['approvals'] as unknown as Listed[]));
      cursor = (body['next_cursor'] as string | null) ?? '';
    } while (cursor !== '');
    t.deepEqual(read, all);
    const decisions = all.map(({ execution_id }) => ({ execution_id, decision: 'approved' }));
    for (const status of ['pending', 'decided']) {
      const path = `/approvals?workflow_id=paged&status=${status}`;
      const full = (await api.call({ path: `${path}&limit=3` })).body;
      t.is((full['approvals'] as unknown as Listed[]).length, 3);
      t.is(full['next_cursor'], null, 'a full page is the last');
      t.is(typeof (await api.call({ path: `${path}&limit=2` })).body['next_cursor'], 'string');
      await api.call({ path: '/approvals/decide', body: { decisions } });
    }
  });

  test.serial(
    `200: one reason is the comment of every decision without one (${dialect})`,
    async (t) => {
      const api = t.context[dialect];
      const ir = approving('reasoned');
      const ids = [await startWorkflow(api, { ir }), await startWorkflow(api, { ir })];
      const [first, second] = ids;
      const decisions = [
        { execution_id: first, decision: 'rejected' },
        { execution_id: second, decision: 'rejected', comment: 'too late' },
      ];
      await api.call({ path: '/approvals/decide', body: { comment: 'out of stock', decisions } });
      t.deepEqual(
        (await list(api, 'status=decided&workflow_id=reasoned')).map(
          ({ execution_id, comment }) => [execution_id, comment],
        ),
        [
          [second, 'too late'],
          [first, 'out of stock'],
        ] as never,
      );
    },
  );

  test.serial(`200: approvals of one node, with their age (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const ask = { kind: { type: 'human_approval' } };
    const split = { kind: { type: 'parallel', branches: ['sign', 'pay'] } };
    const edges = [
      { from: 'split', to: 'sign' },
      { from: 'split', to: 'pay' },
    ];
    const ir = { workflow_id: 'aged', version: '1', nodes: { split, sign: ask, pay: ask }, edges };
    const id = await startWorkflow(api, { ir });
    t.is((await list(api, 'workflow_id=aged')).length, 2);
    const [approval, ...others] = await list(api, 'workflow_id=aged&node_id=pay');
    t.deepEqual(others, []);
    t.like(approval, { execution_id: id, node_id: 'pay' });
    const { age_seconds: age = -1, requested_at: at = '' } = approval ?? {};
    t.true(age >= 0 && age <= (Date.now() - Date.parse(at)) / 1_000, String(age));
    await eventually(async () => {
      const [older] = await list(api, 'workflow_id=aged&node_id=pay');
      if ((older?.age_seconds ?? 0) < 1) throw new Error('the approval does not age');
    });
    const decisions = [{ execution_id: id, node_id: 'pay', decision: 'approved' }];
    await api.call({ path: '/approvals/decide', body: { decisions } });
    t.deepEqual(await list(api, 'workflow_id=aged&node_id=pay'), []);
    t.is((await list(api, 'status=decided&workflow_id=aged&node_id=pay')).length, 1);
    t.is((await list(api, 'status=decided&workflow_id=aged&node_id=sign')).length, 0);
  });

  test.serial(`200: queues and leases show who holds what (${dialect})`, async (t) => {
    const api = t.context[dialect];
    await startWorkflow(api, { ir: tooling('stocked') });
    await startWorkflow(api, { ir: tooling('stocked') });
    const before = await api.call({ path: '/queues' });
    t.like(firstOf(before.body['queues']), {
      queue_type: 'python_tool',
      queue: null,
      waiting: 2,
      leased: 0,
      served_by: [],
    });
    const item = await claim(api);
    const { body } = await api.call({ path: '/leases' });
    t.like(firstOf(body['leases']), { work_item_id: item.id, workflow_id: 'stocked' });
    const after = await api.call({ path: '/queues' });
    t.like(firstOf(after.body['queues']), { waiting: 1, leased: 1 });
    const none = await api.call({ path: '/leases?worker_id=nobody' });
    t.deepEqual(none.body, { leases: [], next_cursor: null });
  });

  test.serial(`400: lists and decisions with invalid members (${dialect})`, async (t) => {
    const api = t.context[dialect];
    for (const path of [
      '/approvals?status=open',
      '/approvals?cursor=x',
      '/approvals?limit=0',
      '/leases?cursor=x',
    ]) {
      t.is((await api.call({ path })).status, 400, path);
    }
    for (const decisions of [[], [{ decision: 'approved' }], [{ execution_id: 'x' }]]) {
      const answer = await api.call({ path: '/approvals/decide', body: { decisions } });
      t.is(answer.status, 400);
    }
  });

  test.serial(`403: a viewer decides nothing (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const token = await api.mint({ role: 'viewer' });
    const decisions = [{ execution_id: 'x', decision: 'approved' }];
    const answer = await api.call({ path: '/approvals/decide', body: { decisions }, token });
    t.is(answer.status, 403);
    t.is((await api.call({ path: '/approvals', token })).status, 200);
  });
}

async function list(api: TestApi, query: string): Promise<readonly Listed[]> {
  const { body } = await api.call({ path: `/approvals?${query}` });
  return body['approvals'] as unknown as Listed[];
}

function firstOf(list: unknown): object {
  const [first] = list as readonly object[];
  if (first === undefined) throw new Error('the list is empty');
  return first;
}
