import test from 'ava';

import type { A2aAgents } from '../../../../src/shared/ports/a2a.ts';
import type { Turn } from '../../../support/servers/a2a-agent.ts';
import { TENANT } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import type { TestStore } from '../../../support/stores.ts';
import {
  agentOf,
  asking,
  DIALECTS,
  failureOf,
  open,
  openAgents,
  openProcess,
} from './a2a-process.ts';

const upper = (turn: Turn) => {
  turn.become('TASK_STATE_WORKING');
  turn.artifact({ text: turn.text.toUpperCase(), data: { skill: turn.skill, given: turn.data } });
  turn.become('TASK_STATE_COMPLETED');
};

for (const dialect of DIALECTS) {
  for (const version of ['1.0', '0.3'] as const) {
    for (const stream of [false, true]) {
      test(`${dialect}: an agent of ${version} does a task, ${stream ? 'streaming' : 'polled'}`, async (t) => {
        const agent = await agentOf(t, upper, { version });
        const svc = openProcess(await open(t, dialect));
        const ir = asking(agent.url, { skill: 'work', stream });
        const executionId = await svc.start(ir, { ask: { text: 'größe ✓', data: { n: 1 } } });
        await svc.settle();
        const { row, state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
        t.is(row.status, 'completed', JSON.stringify(await failureOf(svc, executionId)));
        t.like(state.data['answer'], {
          text: 'GRÖSSE ✓',
          data: { skill: 'work', given: { n: 1 } },
        });
        t.deepEqual(await svc.story(executionId), [
          'WorkflowStarted',
          'NodeScheduled ask',
          'NodeProgress ask',
          'ToolCallCompleted ask',
          'NodeCompleted ask',
          'WorkflowCompleted',
        ]);
        t.is(agent.messages.length, 1);
      });
    }
  }

  test(`${dialect}: an agent that asks is answered by an event, and asked again`, async (t) => {
    const agent = await agentOf(t, (turn) => {
      if (turn.index === 2) {
        turn.artifact({ text: `thanks for ${turn.text}` });
        turn.become('TASK_STATE_COMPLETED');
      } else turn.become('TASK_STATE_INPUT_REQUIRED', `question ${turn.index}?`);
    });
    const svc = openProcess(await open(t, dialect));
    const executionId = await svc.start(asking(agent.url), { ask: 'book' });
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    for (const answer of ['first', { text: 'second' }]) {
      await svc.settle();
      const { row, waitingOn } = await svc.engine.readExecution(of);
      t.is(row.status, 'paused', JSON.stringify(await failureOf(svc, executionId)));
      const correlationKey = waitingOn[0]?.correlationKey ?? '';
      t.regex(correlationKey, /^a2a:/);
      await svc.engine.deliverExternalEvent({ ...of, correlationKey, payload: answer });
    }
    await svc.settle();
    const { row, state } = await svc.engine.readExecution(of);
    t.is(row.status, 'completed', JSON.stringify(await failureOf(svc, executionId)));
    t.like(state.data['answer'], { text: 'thanks for second' });
    const [first = '', ...others] = agent.messages;
    t.deepEqual(others, [`${first}-1`, `${first}-2`]);
  });
}

/* A process dies before its next action, and another one takes over. */

type Moment = 'before it is sent' | 'before its id is recorded' | 'while it is waited for';

function dyingAt(agents: A2aAgents, moment: Moment, died: () => void): A2aAgents {
  const never = <Answer>(): Promise<Answer> => {
    died();
    return new Promise(() => {});
  };
  return {
    async open(target, signal) {
      const agent = await agents.open(target, signal);
      return {
        ...agent,
        async send(message, options) {
          if (moment === 'before it is sent') return never();
          const sent = await agent.send(message, options);
          return moment === 'before its id is recorded' ? never() : sent;
        },
        get: (taskId, until) =>
          moment === 'while it is waited for' ? never() : agent.get(taskId, until),
      };
    },
  };
}

async function takeOver(database: TestStore) {
  await database.age({ table: 'work_leases', columns: ['expires_at'], byMs: 31_000 });
  return openProcess(database);
}

for (const dialect of DIALECTS) {
  for (const [moment, sent] of [
    ['before it is sent', 1],
    ['before its id is recorded', 2],
    ['while it is waited for', 1],
  ] as const) {
    test(`${dialect}: a process dies ${moment}, and another one continues`, async (t) => {
      const agent = await agentOf(t, upper);
      const database = await open(t, dialect);
      const died = Promise.withResolvers<void>();
      const first = openProcess(database, dyingAt(openAgents(), moment, died.resolve));
      const executionId = await first.start(asking(agent.url), { ask: 'x' });
      void first.turn();
      await died.promise;
      const second = await takeOver(database);
      await eventually(async () => {
        await second.settle();
        const { row } = await second.engine.readExecution({ tenantId: TENANT, executionId });
        if (row.status !== 'completed') throw new Error(`it is ${row.status}`);
      });
      t.is(agent.messages.length, sent);
      // If sent twice, it was the same message.
      t.is(new Set(agent.messages).size, 1);
    });
  }

  test(`${dialect}: a process dies after it has answered a question, which is answered once`, async (t) => {
    const agent = await agentOf(t, (turn) => {
      if (turn.index === 0) return turn.become('TASK_STATE_INPUT_REQUIRED', 'which?');
      turn.artifact({ text: `took ${turn.text}` });
      turn.become('TASK_STATE_COMPLETED');
    });
    const database = await open(t, dialect);
    const died = Promise.withResolvers<void>();
    let sends = 0;
    const agents = openAgents();
    const first = openProcess(database, {
      async open(target, signal) {
        const real = await agents.open(target, signal);
        return {
          ...real,
          async send(message, options) {
            const answer = await real.send(message, options);
            sends += 1;
            if (sends === 1) return answer;
            died.resolve();
            return new Promise(() => {});
          },
        };
      },
    });
    const executionId = await first.start(asking(agent.url), { ask: 'x' });
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    await first.settle();
    const { waitingOn } = await first.engine.readExecution(of);
    const correlationKey = waitingOn[0]?.correlationKey ?? '';
    await first.engine.deliverExternalEvent({ ...of, correlationKey, payload: 'this one' });
    void first.turn();
    await died.promise;
    const second = await takeOver(database);
    await eventually(async () => {
      await second.settle();
      const { row, state } = await second.engine.readExecution(of);
      if (row.status !== 'completed') throw new Error(`it is ${row.status}`);
      t.like(state.data['answer'], { text: 'took this one' });
    });
    t.is(agent.messages.length, 2);
  });
}
