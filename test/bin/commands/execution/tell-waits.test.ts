import test from 'ava';

import { tellWaits } from '../../../../bin/commands/execution/tell-waits.ts';
import { ApiError, ApiUnreachableError } from '../../../../src/shared/clients/svc/request.ts';
import type { WireExplanation } from '../../../../src/shared/clients/svc/wire.ts';

const EXPLAINED: WireExplanation = {
  execution_id: 'exec_1',
  status: 'running',
  moving: false,
  next_wake_up: null,
  blockers: [],
  blockers_total: 1,
  ended: null,
};

function blocked(code: string, message = code): WireExplanation {
  const since = { since: null, until: null, unblocked_by: 'a worker' };
  return { ...EXPLAINED, blockers: [{ code, node_id: 'a', message, ...since }] };
}

/** The lines while the answers last, and the pauses between them. */
async function follow(
  answers: readonly (WireExplanation | Error)[],
  toldElsewhere: readonly string[] = [],
) {
  const told: string[] = [];
  const pauses: number[] = [];
  const left = [...answers];
  await tellWaits({
    async explain() {
      const next = left.shift();
      if (next === undefined || next instanceof Error) throw next ?? new Error('nothing is left');
      return next;
    },
    toldElsewhere,
    tell: ({ text }) => told.push(text),
    async pause(ms) {
      if (ms > 0) pauses.push(ms);
      return ms === 0 || left.length > 0;
    },
  });
  return { told, pauses };
}

test('a command says a reason once, and again when it is another one', async (t) => {
  const { told, pauses } = await follow([
    blocked('no_worker_for_queue', 'no worker for 3 s'),
    blocked('no_worker_for_queue', 'no worker for 8 s'),
    blocked('no_worker_for_tool', 'only another tool'),
    blocked('no_worker_for_queue', 'no worker for 40 s'),
  ]);
  t.deepEqual(told, [
    'exec_1 waits: no worker for 3 s; it continues with: a worker',
    'exec_1 waits: only another tool; it continues with: a worker',
    'exec_1 waits: no worker for 40 s; it continues with: a worker',
  ]);
  t.deepEqual(pauses, [3_000, 5_000, 10_000, 20_000, 20_000]);
});

test('a command names the execution in the remedy', async (t) => {
  const waiting = blocked('paused');
  const remedy = { unblocked_by: 'POST /executions/{id}/resume, or: svc execution resume' };
  const blockers = waiting.blockers.map((blocker) => ({ ...blocker, ...remedy }));
  t.deepEqual((await follow([{ ...waiting, blockers }])).told, [
    'exec_1 waits: paused; it continues with: POST /executions/exec_1/resume, or: svc execution resume exec_1',
  ]);
});

test('a command says nothing of an execution that moves or has ended', async (t) => {
  const ended = { message: 'done', at: null, actor_id: null };
  const { told } = await follow([
    { ...blocked('lease_held_until'), moving: true },
    { ...blocked('advancing'), ended },
    EXPLAINED,
  ]);
  t.deepEqual(told, []);
});

test('a command says a decision that an execution waits for, unless other lines name it', async (t) => {
  const answers = [blocked('awaiting_approval', 'a person must decide')];
  t.deepEqual((await follow(answers)).told, [
    'exec_1 waits: a person must decide; it continues with: a worker',
  ]);
  t.deepEqual((await follow(answers, ['awaiting_approval'])).told, []);
});

test('a runtime that is away or busy is asked again, and one that refuses is not', async (t) => {
  const wait = blocked('no_worker_for_queue');
  const away = new ApiUnreachableError('http://127.0.0.1:1', new Error('gone'));
  for (const passing of [away, new ApiError(429, 'too many'), new ApiError(503, 'failover')]) {
    t.is((await follow([passing, wait])).told.length, 1, passing.message);
  }
  for (const final of [new ApiError(403, 'role'), new ApiError(404, 'route'), new Error('other')]) {
    t.is((await follow([final, wait])).told.length, 0, final.message);
  }
});

test('an answer of another shape ends the lines, and nothing else', async (t) => {
  const odd = { ...EXPLAINED, blockers: null } as unknown as WireExplanation;
  t.deepEqual((await follow([odd, blocked('no_worker_for_queue')])).told, []);
});

test('a command says nothing once nobody waits', async (t) => {
  const told: string[] = [];
  let isOver = false;
  await tellWaits({
    async explain() {
      isOver = true;
      return blocked('no_worker_for_queue');
    },
    toldElsewhere: [],
    tell: ({ text }) => told.push(text),
    pause: async () => !isOver,
  });
  t.deepEqual(told, []);
});
