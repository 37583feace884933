import test from 'ava';

import { MEMORY_QUOTAS } from '../../../../src/shared/domain/memory/tiers.ts';
import {
  createClusterWatch,
  READING_MS_MAX,
} from '../../../../src/shared/engine/scheduling/cluster-watch.ts';
import type { ClusterReading } from '../../../../src/shared/store/readings/cluster-reading.ts';

const READING: ClusterReading = {
  queues: [],
  executions: { running: 1, paused: 2 },
  waitingChildren: 0,
  waitingInFlow: { concurrency: 0, rate: 0, debounce: 0, batch: 0 },
  waitingForQuota: 0,
  lateMs: { lease: 0, timer: 0, retry: 0 },
  memory: [],
};

function watch(reading: ClusterReading = READING) {
  let now = 1_000_000;
  const of = createClusterWatch({
    diagnosis: { clusterReading: async () => reading },
    quotas: MEMORY_QUOTAS,
    defaultTier: 'free',
    now: () => now,
  });
  return { of, pass: (ms: number) => void (now += ms) };
}

test('a process that has not read the cluster has nothing to tell', (t) => {
  t.is(watch().of.latest(), null);
});

test('a reading is reported with its age, and no longer when it is old', async (t) => {
  const { of, pass } = watch();
  t.deepEqual(await of.round(), { found: 0, more: false });
  pass(5_000);
  t.like(of.latest(), { executions: { running: 1, paused: 2 }, ageMs: 5_000 });
  pass(READING_MS_MAX);
  t.is(of.latest(), null);
});

test('the fullest quota is reported, of tenants without a tier by the default one', async (t) => {
  const { of } = watch({
    ...READING,
    memory: [
      { tier: 'team', live: 1, addedMax: MEMORY_QUOTAS.team / 4 },
      { tier: null, live: 1, addedMax: MEMORY_QUOTAS.free / 2 },
    ],
  });
  await of.round();
  t.is(of.latest()?.memoryUseMax, 0.5);
});

test('a tenant whose memory was never used has used nothing', async (t) => {
  const { of } = watch();
  await of.round();
  t.is(of.latest()?.memoryUseMax, 0);
});
