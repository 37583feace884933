import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';

import { openEngine } from '../support/engine-process.ts';
import { after, createLatencies, inLanes } from '../support/lanes.ts';
import { chainOf } from '../support/noop-kind.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface ChurnParams {
  readonly inFlight: number;
  /** Another connection keeps a snapshot open, so that vacuum can remove no dead row. */
  readonly heldSnapshot: boolean;
}

const STEPS = 10;
const TENTHS = 10;
const FULL_LOAD_SECONDS = 5;

/**
 * Starts executions for minutes, at half the rate that is possible in the beginning. It measures
 * whether the queue slows down when an old snapshot keeps vacuum from removing dead rows.
 */
export async function measure(given: GivenWorkload<ChurnParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const { inFlight, heldSnapshot } = params;
  const engine = await openEngine({ database });
  await engine.register('bench', chainOf(STEPS, 'noop'));
  engine.startScheduler();
  await inLanes(inFlight, after(FULL_LOAD_SECONDS), () => engine.run('bench'));
  const before = engine.ended();
  await inLanes(inFlight, after(FULL_LOAD_SECONDS), () => engine.run('bench'));
  const perSecond = (engine.ended() - before) / FULL_LOAD_SECONDS / 2;
  const reader = heldSnapshot ? await holdSnapshot(database.url) : null;
  await window(async () => {
    const latencies = createLatencies();
    const began = performance.now();
    const endedIn = Array.from({ length: TENTHS }, () => 0);
    let begun = 0;
    await inLanes(inFlight, after(seconds), async () => {
      begun += 1;
      const dueMs = began + (begun / perSecond) * 1_000 - performance.now();
      if (dueMs > 0) await rest(dueMs);
      await latencies.time(() => engine.run('bench'));
      const tenth = Math.floor(((performance.now() - began) / 1_000 / seconds) * TENTHS);
      // An execution that ends after the window belongs to no part of it.
      if (tenth < TENTHS) endedIn[tenth] = (endedIn[tenth] ?? 0) + 1;
    });
    const executions = latencies.all().length;
    return {
      units: executions * STEPS,
      executions,
      ...latencies.summary(),
      extra: { last_to_first_tenth: (endedIn.at(-1) ?? 0) / (endedIn[0] ?? 1) },
    };
  });
  await reader?.end();
  await engine.close();
}

async function holdSnapshot(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from executions');
  return client;
}
