import type { ClusterWatch, WatchedCluster } from '../../shared/engine/scheduling/cluster-watch.ts';
import type { GaugeKey } from '../../shared/telemetry/metric-list.ts';
import type { GaugeReading, Metrics } from '../../shared/telemetry/metrics.ts';

/** Gauges of the whole cluster. Only the process that has read them exports them. */
export function readClusterGauges(metrics: Metrics, watch: Pick<ClusterWatch, 'latest'>): void {
  const read = (key: GaugeKey, tell: (of: WatchedCluster) => readonly GaugeReading[]): void =>
    metrics.readGauge(key, () => {
      const latest = watch.latest();
      return latest === null ? [] : tell(latest);
    });
  read('queue_items', ({ queues }) =>
    queues.map(({ queue, waiting: value }) => ({ value, labels: { queue } })),
  );
  read('queue_oldest_seconds', ({ queues }) =>
    queues.map(({ queue, oldestMs }) => ({ value: (oldestMs ?? 0) / 1_000, labels: { queue } })),
  );
  read('leased_items', ({ queues }) =>
    queues.map(({ queue, leased: value }) => ({ value, labels: { queue } })),
  );
  read('live_executions', ({ executions }) =>
    Object.entries(executions).map(([status, value]) => ({ value, labels: { status } })),
  );
  read('waiting_children', ({ waitingChildren: value }) => [{ value }]);
  read('waiting_starts', ({ waitingInFlow, waitingChildren }) => [
    ...Object.entries(waitingInFlow).map(([reason, value]) => ({ value, labels: { reason } })),
    { value: waitingChildren, labels: { reason: 'max_concurrent_executions' } },
  ]);
  read('quota_waiting_items', ({ waitingForQuota: value }) => [{ value }]);
  read('late_seconds', ({ lateMs }) =>
    Object.entries(lateMs).map(([kind, ms]) => ({ value: ms / 1_000, labels: { kind } })),
  );
  read('memory_facts', ({ memory }) => [
    { value: memory.reduce((sum, { live }) => sum + live, 0) },
  ]);
  read('memory_quota_used', ({ memoryUseMax }) => [{ value: memoryUseMax }]);
  read('cluster_reading_age', ({ ageMs }) => [{ value: ageMs / 1_000 }]);
}
