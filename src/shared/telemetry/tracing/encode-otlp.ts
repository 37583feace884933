import type { Attributes, AttributeValue, Span } from './span.ts';

/**
 * The body of `POST /v1/traces` in OTLP's JSON encoding: ids in hex, 64-bit integers as strings
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
 */
export function encodeTraces(spans: readonly Span[], resource: Attributes): string {
  const { 'service.version': version = '' } = resource;
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'svc', version }, spans: spans.map(encodeSpan) }],
      },
    ],
  });
}

const KINDS = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;

function encodeSpan(span: Span): object {
  const { error } = span;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(Math.max(span.endMs, span.startMs)),
    attributes: encodeAttributes({ ...span.attributes, 'error.type': error?.type }),
    ...(error !== null && {
      status: { code: STATUS_ERROR, message: error.message },
      events: [
        {
          timeUnixNano: nanoseconds(span.endMs),
          name: 'exception',
          attributes: encodeAttributes({
            'exception.type': error.type,
            'exception.message': error.message,
          }),
        },
      ],
    }),
  };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function encodeAttributes(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: AttributeValue): object {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map(encodeValue) } };
  }
}
