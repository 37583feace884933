import anyTest, { type TestFn } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { passing, waiting } from '../support/workflows.ts';
import { callAgent } from './call-agent.ts';

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  const api = await startTestApi();
  t.context = { api };
  for (const id of ['open', 'states', 'other', 'pages', 'contexts']) {
    await expose(api, waiting(id));
  }
  await expose(api, passing('quick'));
});

test.after.always((t) => t.context.api.close());

async function expose(api: TestApi, ir: JsonObject): Promise<void> {
  await api.call({ path: '/workflows', body: { ir: { ...ir, expose: { a2a: true } } } });
}

interface Listed {
  readonly tasks: readonly (JsonObject & {
    readonly id: string;
    readonly contextId: string;
    readonly status: { readonly state: string; readonly timestamp: string };
  })[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

const rpc = (method: string, params: JsonObject) => ({ jsonrpc: '2.0', id: 1, method, params });

async function list(
  api: TestApi,
  params: JsonObject & { readonly of: string },
  token?: string,
): Promise<Listed> {
  const { of: workflowId, ...rest } = params;
  const as = token === undefined ? {} : { token };
  const answer = await callAgent(api, { workflowId, body: rpc('ListTasks', rest), ...as });
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result as unknown as Listed;
}

async function begin(
  api: TestApi,
  params: { readonly of: string; readonly messageId: string; readonly contextId?: string },
): Promise<string> {
  const { of: workflowId, ...ids } = params;
  const message = { ...ids, role: 'ROLE_USER', parts: [{ text: 'x' }] };
  const configuration = { returnImmediately: true };
  const body = rpc('SendMessage', { message, configuration });
  const { result } = await callAgent(api, { workflowId, body });
  const { id } = (result as { readonly task: { readonly id: string } }).task;
  await api.advance(id);
  return id;
}

const idsOf = ({ tasks }: Listed) => tasks.map(({ id }) => id);

test('the latest update comes first, and artifacts come only on request', async (t) => {
  const { api } = t.context;
  const ids: string[] = [];
  for (const messageId of ['a', 'b', 'c']) ids.push(await begin(api, { of: 'open', messageId }));
  await api.call({ path: `/executions/${ids[0]}/cancel`, body: {} });
  const listed = await list(api, { of: 'open' });
  t.deepEqual(idsOf(listed).slice(0, 1), [ids[0]]);
  t.deepEqual(idsOf(listed).toSorted(), ids.toSorted());
  t.like(listed, { nextPageToken: '', pageSize: 50, totalSize: 3 });
  const times = listed.tasks.map(({ status }) => status.timestamp);
  t.deepEqual(times, times.toSorted().toReversed());
  t.deepEqual(
    listed.tasks.map((task) => 'artifacts' in task),
    [false, false, false],
  );
  const id = await begin(api, { of: 'quick', messageId: 'd' });
  const [task] = (await list(api, { of: 'quick', includeArtifacts: true })).tasks;
  t.is(task?.id, id);
  t.like(task?.['artifacts'], [{ artifactId: 'result' }]);
  const [bare] = (await list(api, { of: 'quick', historyLength: 0 })).tasks;
  t.false('history' in (bare ?? {}));
});

test('pages cover all tasks once, and the last one says so', async (t) => {
  const { api } = t.context;
  const started: string[] = [];
  for (let one = 0; one < 5; one += 1) {
    started.push(await begin(api, { of: 'pages', messageId: `p${one}` }));
  }
  const seen: string[] = [];
  const sizes: number[] = [];
  let pageToken = '';
  do {
    const page = await list(api, { of: 'pages', pageSize: 2, pageToken });
    t.is(page.totalSize, 5);
    seen.push(...idsOf(page));
    sizes.push(page.tasks.length);
    ({ nextPageToken: pageToken } = page);
  } while (pageToken !== '');
  t.deepEqual(sizes, [2, 2, 1]);
  t.deepEqual(seen.toSorted(), started.toSorted());
  const exact = await list(api, { of: 'pages', pageSize: 5 });
  t.is(exact.nextPageToken, '');
});

test('a state, a context and an instant each narrow the list', async (t) => {
  const { api } = t.context;
  const asked = await begin(api, { of: 'states', messageId: 's1', contextId: 'talk' });
  const ended = await begin(api, { of: 'states', messageId: 's2', contextId: 'talk' });
  const alone = await begin(api, { of: 'states', messageId: 's3' });
  await api.call({ path: `/executions/${ended}/cancel`, body: {} });
  const states = async (status: string) => idsOf(await list(api, { of: 'states', status }));
  t.deepEqual(await states('TASK_STATE_CANCELED'), [ended]);
  t.deepEqual((await states('TASK_STATE_INPUT_REQUIRED')).toSorted(), [asked, alone].toSorted());
  t.deepEqual(await states('TASK_STATE_WORKING'), []);
  t.deepEqual(await states('TASK_STATE_REJECTED'), []);
  const inContext = await list(api, { of: 'states', contextId: 'talk' });
  t.deepEqual(idsOf(inContext).toSorted(), [asked, ended].toSorted());
  t.is(inContext.totalSize, 2);
  t.deepEqual(idsOf(await list(api, { of: 'states', contextId: alone })), [alone]);
  t.deepEqual(idsOf(await list(api, { of: 'states', contextId: asked })), []);
  const [latest] = inContext.tasks;
  const statusTimestampAfter = latest?.status.timestamp ?? '';
  t.true(idsOf(await list(api, { of: 'states', statusTimestampAfter })).includes(ended));
  const later = new Date(Date.now() + 3_600_000).toISOString();
  t.like(await list(api, { of: 'states', statusTimestampAfter: later }), {
    tasks: [],
    totalSize: 0,
  });
});

test('an agent lists its own tasks in its own tenant, for any role that may read', async (t) => {
  const { api } = t.context;
  const id = await begin(api, { of: 'other', messageId: 'o1' });
  t.deepEqual(idsOf(await list(api, { of: 'other' })), [id]);
  const viewer = await api.mint({ role: 'viewer' });
  t.deepEqual(idsOf(await list(api, { of: 'other' }, viewer)), [id]);
  const token = await api.mint({ role: 'operator', tenant: 'elsewhere' });
  const body = { ir: { ...waiting('other'), expose: { a2a: true } } };
  await api.call({ path: '/workflows', body, token });
  t.deepEqual(idsOf(await list(api, { of: 'other' }, token)), []);
});

test('a context that only an input of another kind names is found too, or told apart', async (t) => {
  const { api } = t.context;
  for (const message of [{ contextId: 5 }, 'talk', { contextId: { a: 1 } }, null]) {
    const body = { workflow_id: 'contexts', input: { message } };
    t.is((await api.call({ path: '/executions', body })).status, 201);
  }
  t.is((await list(api, { of: 'contexts', contextId: 'talk' })).totalSize, 0);
  t.is((await list(api, { of: 'contexts' })).totalSize, 4);
});
