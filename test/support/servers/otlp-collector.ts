import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import { startHttpServer } from './http-server.ts';
import { type FieldValue, readMessage } from './read-protobuf.ts';

/** A received span, with its attributes and those of its process as plain values. */
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
  readonly scope: string;
  readonly status: { readonly code: number; readonly message: string } | null;
  readonly events: readonly CollectedEvent[];
}

interface CollectedEvent {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector of traces on loopback that accepts only OTLP/HTTP in protobuf. */
export async function startOtlpCollector(
  options: { readonly port?: number; readonly unref?: boolean } = {},
) {
  const spans: CollectedSpan[] = [];
  const problems: string[] = [];
  const asked: IncomingHttpHeaders[] = [];
  const reply = { status: 200 };
  const server = await startHttpServer((request, response) => {
    const { method, url, headers } = request;
    asked.push(headers);
    const isWanted = method === 'POST' && url === '/v1/traces';
    if (!isWanted || headers['content-type'] !== 'application/x-protobuf') {
      problems.push(`${method} ${url} ${headers['content-type']}`);
    }
    void buffer(request).then((sent) => {
      const body = headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      try {
        if (reply.status === 200) spans.push(...readRequest(body));
      } catch (error) {
        problems.push(String(error));
      }
      response.writeHead(reply.status, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  }, options);
  return { ...server, spans, problems, reply, asked };
}

/*
 * Reads the messages of opentelemetry/proto/collector/trace/v1 and their parts, by field numbers.
 */

function readRequest(body: Buffer): readonly CollectedSpan[] {
  return messages(readMessage(body), 1).flatMap((resourceSpans) => {
    const process = messages(resourceSpans, 1).flatMap((resource) => messages(resource, 1));
    return messages(resourceSpans, 2).flatMap((scopeSpans) => {
      const scope = messages(scopeSpans, 1).map((each) => text(each, 1));
      return messages(scopeSpans, 2).map((span) => ({
        ...readSpan(span),
        process: plain(process),
        scope: scope.join(),
      }));
    });
  });
}

function readSpan(span: Message): Omit<CollectedSpan, 'process' | 'scope'> {
  const [status] = messages(span, 15);
  return {
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    parentSpanId: bytes(span, 4).toString('hex') || null,
    name: text(span, 5),
    kind: number(span, 6),
    startMs: milliseconds(span, 7),
    endMs: milliseconds(span, 8),
    attributes: plain(messages(span, 9)),
    events: messages(span, 11).map((event) => ({
      name: text(event, 2),
      attributes: plain(messages(event, 3)),
    })),
    status:
      status === undefined || number(status, 3) === 0
        ? null
        : { code: number(status, 3), message: text(status, 2) },
  };
}

function plain(keyValues: readonly Message[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    keyValues.map((each) => [text(each, 1), messages(each, 2).map(unwrap)[0]]),
  );
}

function unwrap(value: Message): unknown {
  const [[field, [inner]] = [0, []]] = [...value];
  switch (field) {
    case 1:
      return text(value, 1);
    case 2:
      return inner === 1n;
    case 3:
      return Number(BigInt.asIntN(64, inner as bigint));
    case 4: {
      const double = Buffer.alloc(8);
      double.writeBigUInt64LE(inner as bigint);
      return double.readDoubleLE();
    }
    case 5:
      return messages(value, 5).flatMap((array) => messages(array, 1).map(unwrap));
    default:
      throw new Error(`a value of kind ${field}`);
  }
}

type Message = ReadonlyMap<number, readonly FieldValue[]>;

function messages(of: Message, field: number): readonly Message[] {
  return (of.get(field) ?? []).map((value) => readMessage(value as Buffer));
}

function bytes(of: Message, field: number): Buffer {
  return (of.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer;
}

function text(of: Message, field: number): string {
  return bytes(of, field).toString('utf8');
}

function milliseconds(of: Message, field: number): number {
  return Number(((of.get(field)?.[0] ?? 0n) as bigint) / 1_000_000n);
}

function number(of: Message, field: number): number {
  return Number(of.get(field)?.[0] ?? 0);
}
