import { json } from 'node:stream/consumers';

import { startHttpServer } from './http-server.ts';

/** A span as it came in, its attributes and those of its process as plain values. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly process: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message: string } | null;
  readonly events: readonly string[];
}

/** A collector of traces on loopback that takes OTLP/HTTP in its JSON encoding, and nothing else. */
export async function startOtlpCollector() {
  const spans: CollectedSpan[] = [];
  const problems: string[] = [];
  const reply = { status: 200 };
  let asked = 0;
  const server = await startHttpServer((request, response) => {
    asked += 1;
    const wanted = request.method === 'POST' && request.url === '/v1/traces';
    const type = request.headers['content-type'];
    if (!wanted || type !== 'application/json') {
      problems.push(`${request.method} ${request.url} ${type}`);
    }
    void json(request).then((body) => {
      if (reply.status === 200) spans.push(...read(body as Body));
      response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  return { ...server, spans, problems, reply, asked: () => asked };
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number; readonly message: string };
  readonly events?: readonly { readonly name: string }[];
}

function read({ resourceSpans }: Body): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ startTimeUnixNano, endTimeUnixNano, ...span }) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? null,
        startMs: Number(BigInt(startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(endTimeUnixNano) / 1_000_000n),
        attributes: plain(span.attributes),
        process: plain(resource.attributes),
        status: span.status ?? null,
        events: (span.events ?? []).map(({ name }) => name),
      })),
    ),
  );
}

function plain(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, unwrap(value)]));
}

function unwrap(value: Readonly<Record<string, unknown>>): unknown {
  const [[type, inner] = ['', null]] = Object.entries(value);
  if (type === 'intValue') return Number(inner);
  if (type !== 'arrayValue') return inner;
  return (inner as { values: Readonly<Record<string, unknown>>[] }).values.map(unwrap);
}
