import test from 'ava';

import { WORKER_HEAD, workerRows } from '../../../bench/support/worker-rows.ts';
import { exampleMeasurement } from './example-measurement.ts';

const resultOf = (id: string, extra: Readonly<Record<string, number>>) => ({
  id,
  subject: 'svc',
  what: 'ten steps',
  unit: 'steps',
  rounds: [exampleMeasurement(1, { extra, rssMiB: 150 })],
  failures: [],
});

function figuresOf(id: string, extra: Readonly<Record<string, number>>) {
  const [row] = workerRows([resultOf(id, extra), resultOf('B/16', extra)]);
  return Object.fromEntries(WORKER_HEAD.map((name, index) => [name, row?.[index]]));
}

test('a row of workers names the memory of each process', (t) => {
  const apart = figuresOf('W10/16', {
    api_rss_mib: 120,
    scheduler_rss_mib: 110,
    worker_rss_mib: 90,
    next_step_p99_ms: 4.25,
  });
  t.is(apart['RSS MiB'], 'api 120, scheduler 110, worker 90');
  t.is(apart['next step p99 ms'], '4.3');
  t.is(apart['server CPU µs'], '–');
  t.is(figuresOf('WE/16', { client_inside: 1 })['RSS MiB'], 'in one 150');
});
