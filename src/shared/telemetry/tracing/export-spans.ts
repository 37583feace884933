import { diag, DiagLogLevel, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { ExportResultCode, hrTimeDuration, millisToHrTime } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';

import type { Attributes, Span } from './span.ts';

/**
 * Exports spans with OpenTelemetry's batch processor and its exporter for OTLP over HTTP in
 * protobuf. The SDK's tracers create ids and read times as events happen. Our spans are made
 * afterwards, with ids derived from their subject, so they are passed on as ended spans.
 *
 * Headers, compression, certificates and the time limit come from the environment, as OpenTelemetry
 * specifies it (`OTEL_EXPORTER_OTLP_*`), and so do more attributes of the process
 * (`OTEL_RESOURCE_ATTRIBUTES`). Retriable exports are sent again within the time limit; then they
 * are lost, and the error is reported.
 */
export interface SpanExport {
  /** False: too many are waiting, and it is lost. */
  add(span: Span): boolean;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

export interface SpanExportOptions {
  /** Base address of the collector; `/v1/traces` is added if it is missing. */
  readonly endpoint: string;
  readonly resource: Attributes;
  readonly onSpans: (count: number, outcome: 'exported' | 'dropped') => void;
  /** Told once for each time that the collector begins to fail. */
  readonly onFailure: (error: unknown) => void;
  /** Reports invalid settings, and spans that the collector refused. */
  readonly onWarning: (message: string) => void;
}

const EVERY_MS = 1_000;
const SPANS_MAX = 512;
const WAITING_MAX = 4_096;
/** Below what a process that stops has left for closing connections. */
const CLOSE_MS_MAX = 3_000;

export function createSpanExport(options: SpanExportOptions): SpanExport {
  const { onSpans, onWarning } = options;
  listenToWarnings(onWarning);
  let waiting = 0;
  const processor = new BatchSpanProcessor({
    exporter: tellingOf(new OTLPTraceExporter({ url: addressOf(options.endpoint) }), {
      ...options,
      onSpans: (count, outcome) => {
        waiting -= count;
        onSpans(count, outcome);
      },
    }),
    scheduledDelayMillis: EVERY_MS,
    maxExportBatchSize: SPANS_MAX,
    // The bound is kept here, where what is dropped can be counted.
    maxQueueSize: 2 * WAITING_MAX,
  });
  const resource = resourceOf(options.resource);
  const { 'service.version': version } = options.resource;
  const instrumentationScope = {
    name: 'svc',
    ...(typeof version === 'string' && { version }),
  };
  return {
    add(span) {
      if (waiting >= WAITING_MAX) {
        onSpans(1, 'dropped');
        return false;
      }
      waiting += 1;
      processor.onEnd(toReadableSpan(span, { resource, instrumentationScope }));
      return true;
    },
    async close() {
      const bound = Promise.withResolvers<void>();
      const timer = setTimeout(bound.resolve, CLOSE_MS_MAX);
      // Failures have been told by then.
      await Promise.race([processor.shutdown().catch(() => {}), bound.promise]);
      clearTimeout(timer);
      diag.disable();
      if (waiting > 0) onSpans(waiting, 'dropped');
    },
  };
}

function addressOf(endpoint: string): string {
  if (/\/v1\/traces\/?$/.test(endpoint)) return endpoint;
  return `${endpoint.replace(/\/$/, '')}/v1/traces`;
}

function resourceOf(own: Attributes): Resource {
  const given = detectResources({ detectors: [resourceAttributesEnvDetector] });
  return given.merge(resourceFromAttributes(toAttributes(own)));
}

/** The exporter, and what became of each span told. */
function tellingOf(
  exporter: SpanExporter,
  { onSpans, onFailure }: Pick<SpanExportOptions, 'onSpans' | 'onFailure'>,
): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isExported = result.code === ExportResultCode.SUCCESS;
        onSpans(spans.length, isExported ? 'exported' : 'dropped');
        if (!isExported && !isFailing) onFailure(withoutBody(result.error));
        isFailing = !isExported;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** The error of a refused request carries the whole reply, which may be anything. */
function withoutBody(error: Error | undefined): Error {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const status = typeof code === 'number' ? `the collector answered ${code}: ` : '';
  return new Error(`${status}${error?.message ?? 'unknown'}`);
}

function listenToWarnings(onWarning: (message: string) => void): void {
  const ignore = () => {};
  const warn = (...parts: unknown[]) => onWarning(parts.map(String).join(' '));
  diag.setLogger(
    { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

function toReadableSpan(
  span: Span,
  of: Pick<ReadableSpan, 'resource' | 'instrumentationScope'>,
): ReadableSpan {
  const { traceId, parentSpanId, error } = span;
  const startTime = millisToHrTime(span.startMs);
  const endTime = millisToHrTime(Math.max(span.endMs, span.startMs));
  const contextOf = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  return {
    ...of,
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => contextOf(span.spanId),
    ...(parentSpanId !== null && { parentSpanContext: contextOf(parentSpanId) }),
    startTime,
    endTime,
    duration: hrTimeDuration(startTime, endTime),
    ended: true,
    attributes: toAttributes({ ...span.attributes, 'error.type': error?.type }),
    status:
      error === null
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: error.message },
    events:
      error === null
        ? []
        : [
            {
              name: 'exception',
              time: endTime,
              attributes: { 'exception.type': error.type, 'exception.message': error.message },
            },
          ],
    links: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function toAttributes(of: Attributes): ReadableSpan['attributes'] {
  const given = Object.entries(of).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, typeof value === 'object' ? [...value] : value] as const],
  );
  return Object.fromEntries(given);
}
