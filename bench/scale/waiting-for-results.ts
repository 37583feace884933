import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';

import { openDatabases } from '../support/databases.ts';
import { cpuMicrosOf, rssMiB } from '../support/process-use.ts';
import { type RuntimeProcess, startRuntime } from '../support/runtime-process.ts';
import { quantile } from '../support/statistics.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import type { AnswerTime } from './large/hold-results.ts';
import { type Call, callsTo, expectOk, register, start } from './large/templates.ts';

const WAITERS = 5_000;
/** Ended one after another, while all others wait; the rest ends in lanes. */
const ENDED_ALONE = 300;
const LANES = 20;
const DELAY_MS_MAX = 20;
const WATCH_SECONDS = 10;
const SETTINGS = { SVC_API_RESULT_WAITS_PER_TOKEN: '10000' };
const HOLDER = new URL('./large/hold-results.ts', import.meta.url);
const ENDS = { type: 'wait', condition: 'external_event', correlation_key: 'go' };

/** How soon a caller learns that its execution has ended in another process. */
export const waitingForResults: Experiment = {
  name: 'waiting-for-results',
  what: `${WAITERS} callers wait for results at one API process; another process ends the executions; gate: all are answered, p50 under ${DELAY_MS_MAX} ms`,
  async run({ progress, executions }) {
    const waiters = executions ?? WAITERS;
    const databases = await openDatabases();
    const runtimes: RuntimeProcess[] = [];
    try {
      const database = await databases.create('postgres');
      const open = async (role: 'api' | 'scheduler') => {
        const runtime = await startRuntime({ database, role, settings: SETTINGS });
        runtimes.push(runtime);
        return runtime;
      };
      const waitsAt = await open('api');
      const endsAt = await open('api');
      await open('scheduler');
      progress(`starting ${waiters} executions`);
      const call = callsTo(endsAt.url);
      await register(call, 'waits', ENDS);
      const ids: string[] = [];
      await forEach(Array.from({ length: waiters }), async () => {
        ids.push(await start(call, 'waits'));
      });
      progress('all wait');
      return [await measure({ waitsAt, call, ids, progress })];
    } finally {
      for (const runtime of runtimes) await runtime.stop();
      await databases.close();
    }
  },
};

async function measure(given: {
  readonly waitsAt: RuntimeProcess;
  readonly call: Call;
  readonly ids: readonly string[];
  readonly progress: (text: string) => void;
}): Promise<Row> {
  const { waitsAt, call, ids, progress } = given;
  const holder = fork(HOLDER);
  try {
    holder.send({ url: waitsAt.url, executionIds: ids });
    await once(holder, 'message');
    progress('watching them wait');
    const before = cpuMicrosOf(waitsAt.pid) ?? 0;
    await rest(WATCH_SECONDS * 1_000);
    const cpu = ((cpuMicrosOf(waitsAt.pid) ?? 0) - before) / 1e4 / WATCH_SECONDS;
    const memory = rssMiB(waitsAt.pid);
    const answered = once(holder, 'message') as Promise<[{ answers: [string, AnswerTime][] }]>;
    progress('ending them');
    const alone = ids.slice(0, ENDED_ALONE);
    for (const id of alone) await endOne(call, id);
    await forEach(ids.slice(ENDED_ALONE), (id) => endOne(call, id));
    const [{ answers }] = await answered;
    const at = new Map(answers.map(([id, { atMs }]) => [id, atMs]));
    const delays: number[] = [];
    await forEach(alone, async (id) => {
      const { body } = expectOk(await call('GET', `/executions/${id}?view=head`));
      delays.push((at.get(id) ?? Infinity) - Date.parse(String(body['completed_at'])));
    });
    const sorted = delays.toSorted((one, other) => one - other);
    const p50 = quantile(sorted, 0.5);
    const ended = answers.filter(([, { status }]) => status === 200).length;
    return {
      waiters: ids.length,
      'answered 200': ended,
      'p50 ms': rounded(p50, 1),
      'p95 ms': rounded(quantile(sorted, 0.95), 1),
      'max ms': rounded(sorted.at(-1) ?? null, 1),
      'API CPU % while all wait': rounded(cpu, 1),
      'RSS MiB': rounded(memory),
      gate: ended === ids.length && p50 < DELAY_MS_MAX ? 'met' : 'not met',
    };
  } finally {
    holder.kill();
  }
}

async function endOne(call: Call, id: string): Promise<void> {
  const body = { correlation_key: 'go', payload: {} };
  expectOk(await call('POST', `/executions/${id}/external-event`, body));
}

async function forEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (const item of left) await act(item);
    }),
  );
}
