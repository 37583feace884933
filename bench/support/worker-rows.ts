import type { Measurement } from './measurement.ts';
import { show, type Result } from './render.ts';
import { spread } from './statistics.ts';

export const WORKER_HEAD = [
  'workload',
  'of',
  'rate /s',
  'server CPU µs',
  'worker CPU µs',
  'client CPU µs',
  'database CPU µs',
  'statements',
  'WAL bytes',
  'next step p50 ms',
  'next step p99 ms',
  'RSS MiB',
] as const;

/** A line per workload W with the medians over its rounds; counters are per step. */
export function workerRows(results: readonly Result[]): readonly (readonly string[])[] {
  return results
    .filter(({ id, subject }) => id.startsWith('W') && subject.startsWith('svc'))
    .map(({ id, subject, rounds }) => {
      const middle = (pick: (round: Measurement) => number | null | undefined): number | null =>
        spread(rounds.map(pick).filter((value) => typeof value === 'number'))?.median ?? null;
      const extra = (name: string) => middle((round) => round.extra[name]);
      return [
        id,
        subject,
        show(middle(({ perSecond }) => perSecond)),
        show(extra('runtime_cpu_micros')),
        show(extra('worker_cpu_micros')),
        show(middle(clientCpuOf)),
        show(middle(({ databaseCpuMicros }) => databaseCpuMicros)),
        show(
          middle(({ statements }) => statements),
          2,
        ),
        show(middle(({ walBytes }) => walBytes)),
        show(extra('next_step_p50_ms'), 2),
        show(extra('next_step_p99_ms'), 1),
        PROCESSES.flatMap(([name, figure]) => {
          const mib = figure === null ? middle(embeddedRss) : extra(figure);
          return mib === null ? [] : [`${name} ${show(mib)}`];
        }).join(', '),
      ];
    });
}

/** The processes of a workload and the names of their memory figures; null: one process for all. */
const PROCESSES = [
  ['runtime', 'all_rss_mib'],
  ['api', 'api_rss_mib'],
  ['scheduler', 'scheduler_rss_mib'],
  ['worker', 'worker_rss_mib'],
  ['in one', null],
] as const;

const embeddedRss = ({ rssMiB, extra }: Measurement): number | null =>
  extra['client_inside'] === undefined ? null : rssMiB;

/** For an embedded workload, the total of runtime, worker and client. */
function clientCpuOf({ clientCpuMicros, extra }: Measurement): number {
  return clientCpuMicros - (extra['runtime_cpu_micros'] ?? 0) - (extra['worker_cpu_micros'] ?? 0);
}
