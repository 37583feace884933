import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { changeTable } from '../../support/stores.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { claim, startWorkflow, tooling } from '../support/workflows.ts';

const test = anyTest as TestFn<Record<Dialect, TestApi>>;
const DIALECTS = ['sqlite', 'postgres'] as const;
type Dialect = (typeof DIALECTS)[number];

interface Group {
  readonly id: string;
  readonly kind: 'work_item' | 'execution';
  readonly cause: string;
  readonly count: number;
  readonly members: readonly { readonly execution_id: string; readonly error: string }[];
}

interface Answer {
  readonly groups: readonly Group[];
  readonly since: string;
  readonly next_cursor: string | null;
  readonly is_exact: boolean;
}

for (const dialect of DIALECTS) {
  test.before(`start (${dialect})`, async (t) => {
    t.context[dialect] = await startTestApi({ dialect });
  });
  test.after.always(`stop (${dialect})`, (t) => t.context[dialect].close());

  test.serial(`200: failures are grouped by cause (${dialect})`, async (t) => {
    const api = t.context[dialect];
    for (const order of ['17', '4711']) await failOnce(api, 'failing', `order ${order} is unknown`);
    const {
      groups,
      is_exact: isExact,
      next_cursor: cursor,
    } = await list(api, 'workflow_id=failing');
    t.true(isExact);
    t.is(cursor, null);
    t.like(
      groups.find(({ kind }) => kind === 'work_item'),
      { cause: 'order … is unknown', count: 2, workflow_id: 'failing', queue_type: 'python_tool' },
    );
    t.like(
      groups.find(({ kind }) => kind === 'execution'),
      {
        cause: 'node reserve failed: order … is unknown',
        count: 2,
        node_id: 'reserve',
        tool: null,
      },
    );
  });

  test.serial(`200: a query restricts the failures that are grouped (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const acme = await failOnce(api, 'asked', 'the card is refused', { customer: 'acme' });
    const brown = await failOnce(api, 'asked', 'the bank timed out', { customer: 'brown' });
    const executionsOf = async (q: string) => {
      const query = new URLSearchParams({ q: `workflow = asked and ${q}` }).toString();
      const { groups } = await list(api, query);
      const ids = groups.flatMap(({ members }) => members.map((member) => member.execution_id));
      t.is(new Set(groups.map(({ kind }) => kind)).size, groups.length);
      return ids;
    };
    // Its dead letter, and itself.
    t.deepEqual(await executionsOf('labels.customer = acme'), [acme, acme]);
    t.deepEqual(await executionsOf('error ~ "TIMED OUT"'), [brown, brown]);
    t.deepEqual(await executionsOf(`id = ${acme} and status = failed`), [acme, acme]);
    t.deepEqual(await executionsOf('status = running'), []);
    t.deepEqual(await executionsOf('started < -1h'), []);
    const elsewhere = await list(api, 'workflow_id=other&q=workflow%20%3D%20asked');
    t.deepEqual(elsewhere.groups, []);
  });

  test.serial(`200: failures are found by the class of their error (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const late = await failOnce(api, 'classed', 'too late', {}, 'Timeout');
    const other = await failOnce(api, 'classed', 'too late');
    const find = async (path: string, q: string) => {
      const query = new URLSearchParams({ q: `workflow in (classed, ends) and ${q}` });
      return (await api.call({ path: `/${path}?${query.toString()}` })).body;
    };
    const { groups } = (await find('failures', 'error_class = Timeout')) as unknown as Answer;
    t.deepEqual(
      groups.map(({ members }) => members.map(({ execution_id: id }) => id)),
      [[late], [late]],
    );
    // It ends with its first commit.
    const kind = { type: 'fail', class: 'NotForSale', message: 'we do not sell it' };
    const ir = { workflow_id: 'ends', version: '1', nodes: { refuse: { kind } }, edges: [] };
    const ended = await startWorkflow(api, { ir });
    await api.advance(ended);
    const { executions } = await find('executions', 'status = failed');
    const told = (executions as JsonObject[]).map((row) => {
      return [row['execution_id'], row['error_class'], row['error_node_id']];
    });
    t.deepEqual(told, [
      [ended, 'NotForSale', 'refuse'],
      [other, 'error', 'reserve'],
      [late, 'Timeout', 'reserve'],
    ]);
    const { executions: sold } = await find('executions', 'error_class in (NotForSale, Sold)');
    t.like(sold, [{ execution_id: ended, error: 'we do not sell it' }]);
    const shown = (await api.call({ path: `/executions/${ended}` })).body['failure'];
    t.like(shown, { error_class: 'NotForSale', node_id: 'refuse' });
  });

  test.serial(`200: pages have every group once, as of the first page (${dialect})`, async (t) => {
    const api = t.context[dialect];
    for (const [word, count] of [
      ['red', 1],
      ['green', 3],
      ['blue', 2],
      ['grey', 2],
    ] as const) {
      for (let one = 0; one < count; one += 1) await failOnce(api, 'paged', `it is ${word}`);
    }
    const whole = await list(api, 'workflow_id=paged');
    t.deepEqual(
      whole.groups.map(({ count }) => count),
      [3, 3, 2, 2, 2, 2, 1, 1],
    );
    const found: Group[] = [];
    const sinces = new Set<string>();
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      const query: string = `workflow_id=paged&limit=3${cursor && `&cursor=${cursor}`}`;
      const answer = await list(api, query);
      if (page === 0) {
        // The smallest group becomes the largest.
        for (const _ of whole.groups) await failOnce(api, 'paged', 'it is red');
      }
      found.push(...answer.groups);
      sinces.add(answer.since);
      cursor = answer.next_cursor;
      t.true(answer.is_exact);
    }
    t.deepEqual(found, whole.groups);
    t.is(sinces.size, 1);
    t.is((await list(api, 'workflow_id=paged')).groups[0]?.count, whole.groups.length + 1);
  });

  test.serial(`200: a group lists its latest failures, five by default (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const ids: string[] = [];
    for (let order = 0; order < 11; order += 1) {
      ids.push(await failOnce(api, 'often', `order ${order} is unknown`));
    }
    const membersOf = async (query: string) => {
      const { groups } = await list(api, `workflow_id=often${query}`);
      t.deepEqual(
        groups.map(({ count }) => count),
        [11, 11],
      );
      return groups.map(({ members }) => members.map((member) => member.execution_id).toSorted());
    };
    const latest = (count: number) => ids.slice(-count).toSorted();
    t.deepEqual(await membersOf(''), [latest(5), latest(5)]);
    t.deepEqual(await membersOf('&members=1'), [latest(1), latest(1)]);
    t.deepEqual(await membersOf('&members=51'), [latest(11), latest(11)]);
    const { groups } = await list(api, 'workflow_id=often&members=50');
    const firsts = await Promise.all(groups.map(({ id }) => listOfGroup(api, id)));
    // It is on no later page.
    await failOnce(api, 'often', 'order 11 is unknown');
    for (const [index, { id, members }] of groups.entries()) {
      let page = firsts[index];
      const found = [...(page?.failures ?? [])];
      while (page !== undefined && page.next_cursor !== null) {
        page = await listOfGroup(api, id, `&cursor=${page.next_cursor}`);
        found.push(...page.failures);
        t.true(page.is_exact);
      }
      t.deepEqual(found, members);
    }
    const none = await api.call({ path: '/failures/none?workflow_id=often' });
    t.deepEqual(none.body, { failures: [], next_cursor: null, is_exact: true });
  });

  test.serial(
    `200: failures without a kept key are grouped with others (${dialect})`,
    async (t) => {
      const api = t.context[dialect];
      for (const order of [1, 2]) await failOnce(api, 'upgraded', `order ${order} is unknown`);
      const change = changeTable(api.database.url);
      for (const table of ['dead_letters', 'executions']) {
        await change(`update ${table} set cause_key = null where workflow_id = 'upgraded'`);
      }
      const latest = await failOnce(api, 'upgraded', 'order 3 is unknown');
      const { groups } = await list(api, 'workflow_id=upgraded');
      const causes = groups.map(({ cause, count }) => `${count} times ${cause}`).toSorted();
      t.deepEqual(causes, [
        '3 times node reserve failed: order … is unknown',
        '3 times order … is unknown',
      ]);
      t.deepEqual(
        groups.map(({ members }) => members[0]?.execution_id),
        [latest, latest],
      );
    },
  );

  test.serial(`200: failures are grouped as data policies show them (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const ir = {
      ...tooling('hiding', { max_attempts: 1 }),
      data_policy: { pii_detectors: ['email'] },
    };
    // The stored messages have one cause: both values are left out of it.
    for (const by of ['ann@mail.example', '"the bank"', 'lee@mail.example']) {
      await failOf(api, ir, { error: `refused by ${by}` });
    }
    const { groups } = await list(api, 'workflow_id=hiding');
    t.deepEqual(
      groups
        .filter(({ kind }) => kind === 'work_item')
        .map(({ cause, count, members }) => [cause, count, members.map(({ error }) => error)]),
      [
        ['refused by [email]', 2, ['refused by [email]', 'refused by [email]']],
        ['refused by …', 1, ['refused by "the bank"']],
      ],
    );
    t.is(groups.length, 4);
    t.false(JSON.stringify(groups).includes('mail.example'));
  });

  test.serial(`400: failures with invalid parameters (${dialect})`, async (t) => {
    const api = t.context[dialect];
    for (const query of [
      'within_hours=0',
      'within_hours=721',
      'within_hours=1e2',
      'limit=0',
      'members=0',
      'cursor=x',
      `cursor=${Buffer.from('["2026-11-28T10:00:00.000Z","3","a"]').toString('base64url')}`,
      `cursor=${Buffer.from('["yesterday",3,"a"]').toString('base64url')}`,
    ]) {
      t.is((await api.call({ path: `/failures?${query}` })).status, 400, query);
    }
    for (const query of ['within_hours=721', 'limit=0', 'cursor=x']) {
      t.is((await api.call({ path: `/failures/any?${query}` })).status, 400, query);
    }
    const long = await api.call({ path: '/failures?within_hours=10000' });
    t.regex(JSON.stringify(long.body), /within_hours must be a whole number from 1 to 720"/);
    t.is((await api.call({ path: '/failures?within_hours=720' })).status, 200);
    const { status, body } = await api.call({ path: '/failures?q=status%20%3D%20broken' });
    t.is(status, 400);
    t.like(body['problems'], [{ position: 9, length: 6 }]);
  });
}

async function list(api: TestApi, query: string): Promise<Answer> {
  return (await api.call({ path: `/failures?${query}` })).body as unknown as Answer;
}

interface OfGroup extends Pick<Answer, 'next_cursor' | 'is_exact'> {
  readonly failures: Group['members'];
}

async function listOfGroup(api: TestApi, id: string, query = ''): Promise<OfGroup> {
  const path = `/failures/${id}?workflow_id=often&limit=4${query}`;
  return (await api.call({ path })).body as unknown as OfGroup;
}

async function failOnce(
  api: TestApi,
  workflowId: string,
  error: string,
  ...[labels = {}, errorClass]: readonly [labels?: JsonObject, errorClass?: string]
) {
  const ir = tooling(workflowId, { max_attempts: 1 });
  return failOf(api, ir, { error, labels, ...(errorClass && { errorClass }) });
}

/** An execution that fails at its only node. */
async function failOf(
  api: TestApi,
  ir: JsonObject,
  {
    error,
    errorClass,
    labels = {},
  }: { readonly error: string; readonly errorClass?: string; readonly labels?: JsonObject },
) {
  const id = await startWorkflow(api, { ir, labels });
  const { id: item, lease_fence, idempotency_key } = await claim(api);
  await api.call({
    path: `/work-items/${item}/fail`,
    body: { lease_fence, idempotency_key, error, error_class: errorClass },
  });
  await api.advance(id);
  return id;
}
