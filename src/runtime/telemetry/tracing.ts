import type { Config } from '../../shared/config/config.ts';
import type { ProcessRole } from '../../shared/config/listeners.ts';
import type { EngineReport } from '../../shared/engine/report.ts';
import type { Store } from '../../shared/store/store.ts';
import type { Logger } from '../../shared/telemetry/log.ts';
import type { Tracing, TracingOptions } from '../../shared/telemetry/tracing/tracing.ts';

/** Null, and nothing of it loaded, unless there is a collector. */
export async function bootTracing(params: {
  readonly config: Config;
  readonly role: ProcessRole;
  readonly processId: string;
  readonly version: string;
  readonly log: Logger;
  readonly store: Store;
  readonly report: EngineReport;
  readonly shownError: TracingOptions['shownError'];
  readonly costOf: TracingOptions['costOf'];
  readonly opened: AsyncDisposableStack;
}): Promise<Tracing | null> {
  const { config, role, processId, version, log, store, report, shownError, costOf, opened } =
    params;
  const { enabled, otlp, serviceName } = config.telemetry;
  if (!enabled || otlp.endpoint === null) return null;
  const { createTracing } = await import('../../shared/telemetry/tracing/tracing.ts');
  const tracing = createTracing({
    endpoint: otlp.endpoint,
    resource: {
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': processId,
      'svc.role': role,
    },
    now: Date.now,
    history: store.executions,
    shownError,
    costOf,
    onSpans: (count, outcome) => report.count('trace_spans', count, { outcome }),
    onFailure: (err) => log.warn({ err }, 'traces cannot be exported and are lost'),
    onWarning: (warning) => log.warn({ warning }, 'the trace exporter warns'),
  });
  opened.defer(() => tracing.close());
  return tracing;
}

/** Without a collector the engine has nobody to tell. */
export function withTracing(report: EngineReport, tracing: Tracing | null): EngineReport {
  if (tracing === null) return report;
  return { ...report, attempt: tracing.attempt, steps: tracing.steps, ended: tracing.ended };
}
