import test from 'ava';

import type { Timers } from '../../../../src/shared/engine/scheduling/timers.ts';
import { quotaQueueName } from '../../../../src/shared/domain/work/quota.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';
import { createDice } from '../../../simulation/dice.ts';
import { commitOne, start } from '../../store/contract/drive.ts';
import { makeItem, makePlan, makeTicket } from '../../store/contract/make.ts';

const STEPS = 150;
const RATES = [
  { limit: 1, perMs: 1_000, burst: 1 },
  { limit: 3, perMs: 1_000, burst: 7 },
  { limit: 700, perMs: 60_000, burst: 20 },
  { limit: 5, perMs: 3_600_000, burst: 2 },
];

for (const [seed, rate] of RATES.entries()) {
  const { limit, perMs, burst } = rate;
  test(`in no window are more than ${burst} + ${limit} in ${perMs} ms admitted, and none is forgotten`, async (t) => {
    const dice = createDice(`rate ${seed}`);
    const clock = { ms: 1_800_000_000_000 };
    const opened = await openTestStore('sqlite', { clock: () => clock.ms });
    t.teardown(opened.close);
    const timers: Timers = { now: () => clock.ms, after: () => () => undefined };
    // Each has what it knows in memory alone, as a process that has just started.
    const launch = () => openTestEngine({ store: opened.store, timers }).scheduling;
    let processes = [launch(), launch()];
    const quota = { queueName: 'default', limit: null, tool: 'm.f', key: null };
    const queueName = quotaQueueName({ ...quota, rate: { ...rate, key: null } }) ?? '';
    const intervalMs = perMs / limit;
    const admitted: { readonly atMs: number; readonly count: number }[] = [];
    let waiting = 0;

    async function enqueue(count: number) {
      const execution = await start(opened.store, { tenantId: TENANT });
      const newItems = Array.from({ length: count }, () =>
        makeItem(makeTicket(execution, { queueName })),
      );
      await commitOne(opened.store, makePlan(execution, { newItems }));
    }

    async function admit() {
      const scheduling = dice.pick(processes);
      const { found } = await scheduling.admitQuotaItems();
      if (found > 0) admitted.push({ atMs: clock.ms, count: found });
      waiting -= found;
    }

    for (let step = 0; step < STEPS; step += 1) {
      if (dice.chance(0.2)) {
        const count = dice.between(1, 3 * burst);
        await enqueue(count);
        waiting += count;
      }
      if (dice.chance(0.1)) processes = [launch(), ...processes.slice(1)];
      clock.ms += dice.between(0, Math.ceil((dice.chance(0.1) ? 10 : 2) * intervalMs));
      await admit();
    }

    for (const [n, { atMs: fromMs }] of admitted.entries()) {
      let count = 0;
      for (const one of admitted.slice(n)) {
        count += one.count;
        const most = burst + (one.atMs - fromMs) / intervalMs;
        if (count > most) t.fail(`${count} in ${one.atMs - fromMs} ms, and at most ${most}`);
      }
    }
    t.true(admitted.length > 20);
    const lastMs = clock.ms;
    const left = waiting;
    while (waiting > 0 && clock.ms - lastMs < (left + 2) * (intervalMs + 2)) {
      clock.ms += Math.ceil(intervalMs);
      await admit();
    }
    t.is(waiting, 0);
  });
}
