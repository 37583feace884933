import { onBothStores, type Place } from '../support/both-stores.ts';
import { collectEvents, readEventStream, type StreamedEvent } from '../support/event-stream.ts';
import { openRequest } from '../support/http.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { masked } from '../support/told.ts';
import type { ExecutionEvent } from '../support/wire.ts';

/* Interface document: "Events"; additions: their paging and streaming. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const chain = {
  nodes: { a: call, b: call },
  edges: [{ from: 'a', to: 'b' }],
};

check('200: sequences are gapless from 1, times never go back', async (t, svc) => {
  const id = await svc.run(chain);
  await svc.work('a');
  await svc.work('b');
  await svc.until(id, 'completed');
  const events = await svc.events(id);
  t.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  const times = events.map((event) => event.created_at);
  for (const time of times) t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.deepEqual(times, times.toSorted());
  t.is((await svc.read(id)).completed_at, times.at(-1) ?? '');
  t.is((await svc.read(id)).created_at, times[0] ?? '');
});

check('200: an event has the fields of the contract, and says who did it', async (t, svc) => {
  const id = await svc.run(chain, { city: 'Oslo' });
  await svc.work('a', { rain: true }, { state_patch: { wet: true }, finish_reason: 'stop' });
  await svc.untilEvent(id, 'NodeScheduled', 'b');
  const events = await svc.events(id);
  const [started, scheduled, called, completed] = events as [
    ExecutionEvent,
    ExecutionEvent,
    ExecutionEvent,
    ExecutionEvent,
  ];
  for (const event of events) {
    t.is(event.execution_id, id);
    t.is(event.event_id, `${id}:${event.sequence}`);
  }
  t.like(started, { kind: 'WorkflowStarted', node_id: null, actor_id: 'token:api-key' });
  t.like(started.payload, { workflow_id: 'w', input: { city: 'Oslo' } });
  t.like(scheduled, { kind: 'NodeScheduled', node_id: 'a' });
  t.like(scheduled.payload, { visit: 0, node_kind: 'python_fn', queue: 'python_tool' });
  t.like(called, { kind: 'ToolCallCompleted', node_id: 'a', actor_id: 'worker:worker-1' });
  t.like(called.payload, { tool: 'm.f', attempt: 0, duration_ms: 5, finish_reason: 'stop' });
  t.like(completed, { kind: 'NodeCompleted', node_id: 'a', actor_id: 'worker:worker-1' });
  t.like(completed.payload, { visit: 0, output: { rain: true }, state_patch: { wet: true } });
  t.is(events[4]?.actor_id, 'system:scheduler');
  return masked(events);
});

check('200: the first event is the start, nothing follows the last', async (t, svc) => {
  const done = await svc.run({ nodes: {} });
  const cancelled = await svc.run(chain);
  expectStatus(await svc.cancel(cancelled), 200);
  for (const id of [done, cancelled]) {
    const before = await svc.events(id);
    t.is(before[0]?.kind, 'WorkflowStarted');
    t.regex(before.at(-1)?.kind ?? '', /^Workflow(Completed|Cancelled)$/);
    await svc.deliver(id, 'late');
    await svc.approve(id, { decision: 'approved' });
    await svc.cancel(id);
    t.deepEqual(await svc.events(id), before);
  }
});

check('200: events are paged with after and limit', async (t, svc) => {
  const id = await svc.run({ nodes: { a: {}, b: {} }, edges: [{ from: 'a', to: 'b' }] });
  await svc.until(id, 'completed');
  const sequences = async (query: string) => {
    const path = `/executions/${id}/events?${query}`;
    const reply = await svc.get<{ events: ExecutionEvent[] }>(path);
    return expectStatus(reply, 200).events.map(({ sequence }) => sequence);
  };
  t.deepEqual(await sequences(''), [1, 2, 3, 4, 5, 6]);
  t.deepEqual(await sequences('after=0&limit=2'), [1, 2]);
  t.deepEqual(await sequences('after=2&limit=2'), [3, 4]);
  t.deepEqual(await sequences('after=5'), [6]);
  t.deepEqual(await sequences('after=6'), []);
  t.deepEqual(await sequences('after=1000'), []);
});

check('400: events after or with a limit that make no sense', async (t, svc) => {
  const id = await svc.run({ nodes: {} });
  for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=-1', 'limit=x', 'after=1.5']) {
    const reply = await svc.get(`/executions/${id}/events?${query}`);
    t.is(reply.status, 400, query);
  }
});

check(
  '200: a stream carries every event as it comes, and ends with the last',
  async (t, svc, at) => {
    const id = await svc.run(chain);
    const streamed: StreamedEvent[] = [];
    const response = await openStream(svc, at, id);
    t.is(response.status, 200);
    t.regex(response.headers.get('Content-Type') ?? '', /^text\/event-stream/);
    const reading = (async () => {
      for await (const event of readEventStream(response)) {
        streamed.push(event);
        const { kind, node_id: node } = JSON.parse(event.data) as ExecutionEvent;
        // The test does each step only after the stream has reported the previous one.
        if (kind === 'NodeScheduled') await svc.work(node ?? '');
      }
    })();
    await reading;
    const events = await svc.events(id);
    t.is(events.at(-1)?.kind, 'WorkflowCompleted');
    t.deepEqual(
      streamed.map(({ data }) => JSON.parse(data) as ExecutionEvent),
      [...events],
    );
    t.deepEqual(
      streamed.map((event) => event.id),
      events.map(({ sequence }) => String(sequence)),
    );
  },
);

check('200: a stream continues after Last-Event-ID', async (t, svc, place) => {
  const id = await svc.run({ nodes: { a: {}, b: {} }, edges: [{ from: 'a', to: 'b' }] });
  await svc.until(id, 'completed');
  const ids = async (lastEventId: string) => {
    const response = await openStream(svc, place, id, { 'Last-Event-ID': lastEventId });
    const found = await collectEvents(response);
    return found.map((event) => event.id);
  };
  t.deepEqual(await ids('0'), ['1', '2', '3', '4', '5', '6']);
  t.deepEqual(await ids('4'), ['5', '6']);
  const nothingLeft = await openStream(svc, place, id, { 'Last-Event-ID': '6' });
  t.is(nothingLeft.status, 204);
  t.is((await openStream(svc, place, id, { 'Last-Event-ID': 'x' })).status, 400);
  const unknown = await openStream(svc, place, 'exec_00000000000070008000000000000000');
  t.is(unknown.status, 404);
});

check('200: several followers of one execution see the same', async (t, svc, place) => {
  const id = await svc.run(chain);
  const following = Promise.all(
    Array.from({ length: 5 }, async () => collectEvents(await openStream(svc, place, id))),
  );
  await svc.work('a');
  await svc.work('b');
  const [first, ...others] = await following;
  t.is(first?.length, (await svc.events(id)).length);
  for (const other of others) t.deepEqual(other, first);
});

function openStream(
  svc: TestTenant,
  { runtime }: Place,
  executionId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return openRequest(runtime.url, {
    path: `/executions/${executionId}/events`,
    token: runtime.apiKey,
    tenantId: svc.tenantId,
    headers: { Accept: 'text/event-stream', ...headers },
  });
}
