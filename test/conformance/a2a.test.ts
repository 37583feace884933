import { TaskState, type StreamResponse } from '@a2a-js/sdk';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { about, asTask, connectA2a, say, VERSIONS } from '../support/servers/a2a-client.ts';
import { onBothStores, type Place } from '../support/both-stores.ts';
import type { TestTenant } from '../support/tenant.ts';

/* The runtime as an A2A server: a workflow is an agent, its executions are the agent's tasks. */

const check = onBothStores();

const expose = { a2a: true };
/** Repeats its input. */
const echo = {
  expose,
  nodes: { echo: { kind: { type: 'pass', output: { heard: '$.text', given: '$.data' } } } },
};
const event = (key: string) => ({
  kind: { type: 'wait', condition: 'external_event', correlation_key: key },
  output_key: 'answer',
});

for (const version of VERSIONS) {
  const connect = async (svc: TestTenant, { runtime }: Place, ir: JsonObject) => {
    const workflowId = await svc.register(ir);
    const { apiKey: token } = runtime;
    return connectA2a(runtime, { workflowId, token, tenantId: svc.tenantId, version });
  };

  check(
    `${version}: a message starts an execution, and its state is the result`,
    async (t, svc, place) => {
      const client = await connect(svc, place, echo);
      const data = { n: 3, list: [1, { a: null }] };
      const said = { messageId: 'm1', text: 'Größe ✓', data, contextId: 'c1' };
      const task = asTask(await client.sendMessage(say(said, { wait: true })));
      t.regex(task.id, /^exec_[0-9a-f]{32}$/);
      t.is(task.contextId, 'c1');
      t.is(task.status?.state, TaskState.TASK_STATE_COMPLETED);
      const [part] = task.artifacts[0]?.parts ?? [];
      t.like(part?.content?.value, { heard: 'Größe ✓', given: data });
      t.is(task.history[0]?.messageId, 'm1');
      t.is(task.history[0]?.taskId, task.id);
      const read = await svc.read(task.id);
      t.is(read.status, 'completed');
      t.like(read, { workflow_id: 'w', input: { text: 'Größe ✓', data } });
      t.deepEqual(await client.getTask(about(task.id)), task);
      return svc.story(task.id);
    },
  );

  check(`${version}: twenty times the same message is one execution`, async (t, svc, place) => {
    const client = await connect(svc, place, echo);
    const send = (text: string) => client.sendMessage(say({ messageId: 'same', text }));
    const sent = await Promise.all(Array.from({ length: 20 }, () => send('x')));
    const ids = new Set(sent.map((result) => asTask(result).id));
    t.is(ids.size, 1);
    const error = await t.throwsAsync(send('something else'));
    t.regex(error.message, /was sent before with other content/);
    const next = asTask(await client.sendMessage(say({ messageId: 'next', text: 'x' })));
    t.false(ids.has(next.id));
  });

  check(
    `${version}: a task that waits for an event asks for it, and takes a message once`,
    async (t, svc, place) => {
      const client = await connect(svc, place, {
        expose,
        start_node: 'ask',
        nodes: { ask: event('paid'), again: event('checked') },
        edges: [{ from: 'ask', to: 'again' }],
      });
      const asked = asTask(await client.sendMessage(say({ messageId: 'm1' }, { wait: true })));
      t.is(asked.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
      t.is(asked.status?.message?.parts[0]?.content?.value, 'Waiting for paid.');
      const answer = { messageId: 'm2', taskId: asked.id, text: 'here it is' };
      const sent = await Promise.all(
        Array.from({ length: 10 }, () => client.sendMessage(say(answer))),
      );
      t.true(sent.every((result) => asTask(result).id === asked.id));
      // The second wait is still open: nine of the ten repeated the same message.
      const again = asTask(await client.sendMessage(say(answer, { wait: true })));
      t.is(again.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
      const last = { messageId: 'm3', taskId: asked.id, data: { ok: true } };
      const done = asTask(await client.sendMessage(say(last, { wait: true })));
      t.is(done.status?.state, TaskState.TASK_STATE_COMPLETED);
      t.like((await svc.read(asked.id)).state, { answer: { text: '', data: { ok: true } } });
      const story = await svc.story(asked.id);
      t.is(story.filter((line) => line.startsWith('ExternalEventReceived')).length, 2);
      return story;
    },
  );

  check(
    `${version}: a member that a data policy hides does not make a message new`,
    async (t, svc, place) => {
      const client = await connect(svc, place, {
        expose,
        start_node: 'ask',
        data_policy: { detectors: ['phone', 'credit_card'], retain_outputs: false },
        nodes: { ask: event('paid'), again: event('checked') },
        edges: [{ from: 'ask', to: 'again' }],
      });
      const context = { contextId: '4111111111111111' };
      const first = { messageId: '+49 30 1234567', text: 'call +49 30 1234567', ...context };
      const asked = asTask(await client.sendMessage(say(first, { wait: true })));
      t.is(asked.contextId, context.contextId);
      t.is(asked.history[0]?.messageId, first.messageId);
      t.not(asked.history[0]?.parts[0]?.content?.value, first.text);
      const answer = { messageId: '4111 1111 1111 1111', taskId: asked.id, ...context };
      for (const _ of [1, 2, 3]) {
        const next = asTask(await client.sendMessage(say(answer, { wait: true })));
        t.is(next.status?.message?.parts[0]?.content?.value, 'Waiting for checked.');
      }
      const story = await svc.story(asked.id);
      t.is(story.filter((line) => line.startsWith('ExternalEventReceived')).length, 1);
    },
  );

  check(`${version}: a message may decide an approval, once`, async (t, svc, place) => {
    const approval = (description: string) => ({ kind: { type: 'human_approval', description } });
    const client = await connect(svc, place, {
      expose,
      start_node: 'one',
      nodes: { one: approval('Ship it?'), two: approval('Really?') },
      edges: [{ from: 'one', to: 'two' }],
    });
    const asked = asTask(await client.sendMessage(say({ messageId: 'm1' }, { wait: true })));
    t.is(asked.status?.message?.parts[0]?.content?.value, 'Ship it?');
    const words = { messageId: 'm2', taskId: asked.id, text: 'yes' };
    const error = await t.throwsAsync(client.sendMessage(say(words)));
    t.regex(error.message, /waits for an approval/);
    const approved = { messageId: 'm3', taskId: asked.id, data: { decision: 'approved' } };
    for (const _ of [1, 2]) {
      const next = asTask(await client.sendMessage(say(approved, { wait: true })));
      t.is(next.status?.message?.parts[0]?.content?.value, 'Really?');
    }
    const rejected = {
      messageId: 'm4',
      taskId: asked.id,
      data: { decision: 'rejected', comment: 'no' },
    };
    const failed = asTask(await client.sendMessage(say(rejected, { wait: true })));
    t.is(failed.status?.state, TaskState.TASK_STATE_FAILED);
    t.regex(
      String(failed.status?.message?.parts[0]?.content?.value),
      /approval rejected by .*: no/,
    );
    return svc.story(asked.id);
  });

  check(
    `${version}: a task is cancelled once, and not when it has ended`,
    async (t, svc, place) => {
      const client = await connect(svc, place, { expose, nodes: { ask: event('never') } });
      const { id } = asTask(await client.sendMessage(say({ messageId: 'm1' })));
      for (const _ of [1, 2]) {
        const cancelled = await client.cancelTask(about(id));
        t.is(cancelled.status?.state, TaskState.TASK_STATE_CANCELED);
      }
      t.is((await svc.read(id)).status, 'cancelled');
      const late = { messageId: 'm2', taskId: id, text: 'too late' };
      const error = await t.throwsAsync(client.sendMessage(say(late)));
      t.regex(error.message, /is cancelled/);
      const other = await connect(svc, place, { ...echo, workflow_id: 'other' });
      const done = asTask(await other.sendMessage(say({ messageId: 'm1' }, { wait: true })));
      const refused = await t.throwsAsync(other.cancelTask(about(done.id)));
      t.regex(refused.name + refused.message, /[Cc]ancel|is completed/);
    },
  );

  check(
    `${version}: a stream tells every event and ends with the result`,
    async (t, svc, place) => {
      const client = await connect(svc, place, {
        expose,
        start_node: 'ask',
        nodes: { ask: event('paid'), say: { kind: { type: 'pass', output: { done: true } } } },
        edges: [{ from: 'ask', to: 'say' }],
      });
      const first = await read(client.sendMessageStream(say({ messageId: 'm1' })));
      const last = first.at(-1);
      const value = last?.payload?.value as { readonly taskId?: string; readonly id?: string };
      const taskId = value.taskId ?? value.id ?? '';
      t.is(
        (await client.getTask(about(taskId))).status?.state,
        TaskState.TASK_STATE_INPUT_REQUIRED,
      );
      const followed = read(client.resubscribeTask({ tenant: '', id: taskId }));
      t.is((await followed)[0]?.payload?.$case, 'task');
      const stream = await read(
        client.sendMessageStream(say({ messageId: 'm2', taskId, text: 'paid' })),
      );
      t.is(stream[0]?.payload?.$case, 'task');
      const end = stream.at(-1)?.payload;
      t.true(end?.$case === 'statusUpdate' || end?.$case === 'task');
      const [ended] = [await client.getTask(about(taskId))];
      t.is(ended?.status?.state, TaskState.TASK_STATE_COMPLETED);
      // The stream sends the whole task when the execution has ended before the first read.
      const artifact = stream.find(({ payload }) => payload?.$case === 'artifactUpdate')?.payload;
      if (end?.$case === 'task') t.is(end.value.artifacts.length, 1);
      else t.is(artifact?.$case === 'artifactUpdate' ? artifact.value.lastChunk : null, true);
      const gone = await t.throwsAsync(read(client.resubscribeTask({ tenant: '', id: taskId })));
      t.regex(gone.message, /is completed/);
    },
  );

  check(`${version}: an id that is no task of the agent is not found`, async (t, svc, place) => {
    const client = await connect(svc, place, echo);
    const other = await connect(svc, place, { ...echo, workflow_id: 'other' });
    const { id } = asTask(await other.sendMessage(say({ messageId: 'm1' }, { wait: true })));
    for (const unknown of [id, 'nonsense', `exec_${'0'.repeat(32)}`]) {
      const error = await t.throwsAsync(client.getTask(about(unknown)));
      t.regex(error.message, /not found/i);
      await t.throwsAsync(client.cancelTask(about(unknown)), { message: /not found/i });
      const said = { messageId: 'm2', taskId: unknown, text: 'x' };
      await t.throwsAsync(client.sendMessage(say(said)), { message: /not found/i });
    }
    t.is((await other.getTask(about(id))).id, id);
  });
}

async function read(stream: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
