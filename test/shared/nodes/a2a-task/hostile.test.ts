import test from 'ava';

import { systemDelays } from '../../../../src/shared/clients/system-delays.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { createA2aTaskRunner } from '../../../../src/shared/nodes/a2a-task/run.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import {
  agentOf,
  asking,
  DIALECTS,
  failureOf,
  open,
  openAgents,
  openProcess,
  SECRET,
} from './a2a-process.ts';

/** `ask` with its own time limit. */
function limited(ir: JsonObject, nodeTimeoutSecs: number): JsonObject {
  const { ask } = ir['nodes'] as { readonly ask: JsonObject };
  return { ...ir, nodes: { ask: { ...ask, node_timeout_secs: nodeTimeoutSecs } } };
}

for (const days of [30, 365]) {
  test(`a time limit of ${days} days, longer than a timer of a process, ends nothing early`, async (t) => {
    const agent = await agentOf(t, (turn) => {
      turn.artifact({ text: 'done' });
      turn.become('TASK_STATE_COMPLETED');
    });
    const svc = openProcess(await open(t));
    const ir = limited(asking(agent.url), days * 86_400);
    const executionId = await svc.start(ir, { ask: 'x' });
    await svc.settle();
    const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.status, 'completed', JSON.stringify(await failureOf(svc, executionId)));
  });
}

/** A task in the agent's answer, over JSON-RPC. */
function taskWith(more: JsonObject): JsonObject {
  const status = { state: 'TASK_STATE_COMPLETED' };
  return { id: 'task-1', contextId: 'context-1', status, artifacts: [], history: [], ...more };
}

const UNKEEPABLE: readonly (readonly [string, JsonObject])[] = [
  ['id', { id: 'a\0b' }],
  ['context', { contextId: 'a\0b' }],
  ["artifact's id", { artifacts: [{ artifactId: 'a\0b', parts: [] }] }],
  ["artifact's name", { artifacts: [{ artifactId: 'a', name: 'a\ud800b', parts: [] }] }],
  ['long id', { id: 'x'.repeat(100_000) }],
];

for (const dialect of DIALECTS) {
  test(`${dialect}: a task whose ids and names no state can hold is refused`, async (t) => {
    for (const [what, more] of UNKEEPABLE) {
      const agent = await agentOf(t, () => {}, {
        intercept: (method, response) => {
          const task = taskWith(more);
          const result = method === 'SendMessage' ? { task } : task;
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
          return true;
        },
      });
      const svc = openProcess(await open(t, dialect));
      const executionId = await svc.start(asking(agent.url), { ask: 'x' });
      await svc.settle();
      const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
      t.is(row.status, 'failed', what);
      const failed = await failureOf(svc, executionId);
      t.like(failed, { error_class: 'invalid_response', attempt: 0 }, what);
    }
  });
}

test('a stream that an agent never ends is closed when the task is done', async (t) => {
  const closed = Promise.withResolvers<void>();
  const agent = await agentOf(t, () => {}, {
    intercept: (method, response) => {
      const isStreamed = method === 'SendStreamingMessage';
      const working = taskWith({ status: { state: 'TASK_STATE_WORKING' } });
      const result = isStreamed ? { task: working } : taskWith({});
      const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
      const type = isStreamed ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type });
      if (!isStreamed) return response.end(answer).writableEnded;
      response.once('close', closed.resolve);
      return response.write(`data: ${answer}\n\n`) || true;
    },
  });
  const { store } = await open(t);
  // Reads the task at once; the real delays would wait for the stream first.
  const delays = { ...systemDelays, pause: async () => undefined };
  const runner = createA2aTaskRunner({ a2a: openAgents(), delays });
  const svc = openTestEngine({ store, runners: new Map([['a2a_task', runner]]) });
  const executionId = await svc.start(asking(agent.url, { stream: true }), { ask: 'x' });
  await svc.settle();
  const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
  t.is(row.status, 'completed', JSON.stringify(await failureOf(svc, executionId)));
  await closed.promise;
});

test('a secret that an agent repeats stays out of events and state', async (t) => {
  const auth = { type: 'bearer', token_env: 'SVC_SECRET_AGENT' };
  const agent = await agentOf(t, (turn) => {
    turn.artifact({ text: `you are ${SECRET}`, data: { [SECRET]: [SECRET] } });
    turn.become('TASK_STATE_COMPLETED', `by ${SECRET}`);
  });
  const asker = await agentOf(t, (turn) => turn.become('TASK_STATE_FAILED', `by ${SECRET}`));
  for (const { url } of [agent, asker]) {
    const svc = openProcess(await open(t), openAgents());
    const executionId = await svc.start(asking(url, {}, { auth }), { ask: 'x' });
    await svc.settle();
    const page = { tenantId: TENANT, executionId, after: 0, limit: null };
    const { events } = await svc.engine.readEvents(page);
    const told = JSON.stringify(events);
    t.false(told.includes(SECRET));
    t.true(told.includes('[secret SVC_SECRET_AGENT]'));
  }
});
