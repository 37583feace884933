import test from 'ava';

import { AgentFailure } from '../../../../src/shared/domain/a2a/agent-failure.ts';
import type { AgentTask, AgentTaskState } from '../../../../src/shared/domain/a2a/agent-task.ts';
import { followTask } from '../../../../src/shared/nodes/delegation/follow-task.ts';
import type { A2aAgent } from '../../../../src/shared/ports/a2a.ts';

const NEVER = new Promise<void>(() => {});

function taskIn(state: AgentTaskState, saying = ''): AgentTask {
  const says = { text: '', data: null };
  return { taskId: 't', contextId: 'c', state, says, saying, artifacts: [], messageIds: [] };
}

/** An agent that returns these readings and repeats the last one, on a clock that only counts. */
async function follow(
  readings: readonly (AgentTask | Error)[],
  options: Partial<Parameters<typeof followTask>[0]> & { readonly streams?: boolean } = {},
) {
  const pauses: number[] = [];
  let reads = 0;
  const agent: A2aAgent = {
    skills: [],
    streams: options.streams ?? false,
    send: () => Promise.reject(new Error('nothing is sent')),
    async get() {
      const reading = readings[Math.min(reads, readings.length - 1)];
      reads += 1;
      if (reading === undefined) throw new Error('no reading');
      if (reading instanceof Error) throw reading;
      return reading;
    },
    watch: () => NEVER,
    cancel: () => Promise.reject(new Error('nothing is cancelled')),
  };
  const task = await followTask({
    agent,
    taskId: 't',
    answered: null,
    stream: false,
    rests: null,
    signal: new AbortController().signal,
    delays: {
      async pause(ms) {
        pauses.push(ms);
      },
      timeout: () => new AbortController().signal,
    },
    ...options,
  });
  return { task, pauses, reads };
}

const working = taskIn('working');
const done = taskIn('completed');
const down = () => new AgentFailure('down', { errorClass: 'unreachable' });

test('pauses between readings grow, and no further than their bound', async (t) => {
  const { pauses } = await follow([...Array.from({ length: 15 }, () => working), done]);
  t.is(pauses[0], 250);
  t.true(pauses.every((ms, index) => index === 0 || ms >= (pauses[index - 1] ?? 0)));
  t.is(pauses.at(-1), 15_000);
});

test('a stream that stays open and tells nothing is not waited for without end', async (t) => {
  const begun = await follow([working, done], { rests: NEVER });
  t.is(begun.task.state, 'completed');
  const watched = await follow([working, working, done], { stream: true, streams: true });
  t.is(watched.reads, 3);
});

test('five failures in a row are the end, fewer are not, and a final one is at once', async (t) => {
  const { task } = await follow([down(), down(), down(), down(), working, down(), done]);
  t.is(task.state, 'completed');
  await t.throwsAsync(follow([down()]), { message: 'down' });
  const final = new AgentFailure('gone', { errorClass: 'invalid_input', isFinal: true });
  await t.throwsAsync(follow([final, done]), { message: 'gone' });
});

test('a question that was answered is waited over, and asked again when it stays', async (t) => {
  const question = taskIn('input_required', 'q1');
  const gone = await follow([question, question, working, done], { answered: 'q1' });
  t.is(gone.task.state, 'completed');
  const next = await follow([question, taskIn('input_required', 'q2')], { answered: 'q1' });
  t.is(next.task.saying, 'q2');
  const stays = await follow([question], { answered: 'q1' });
  t.is(stays.task.saying, 'q1');
  t.is(stays.reads, 9);
});
