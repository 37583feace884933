import { parseTraceparent, writeTraceparent } from '../../domain/traceparent.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { AttemptReport, EndReport } from '../../engine/deps.ts';
import type { ExecutionStore } from '../../store/store.ts';
import { encodeTraces } from './encode-otlp.ts';
import type { Attributes, Span } from './span.ts';
import {
  attemptSpanId,
  executionSpanId,
  ownTraceId,
  spanOfExecution,
  spansOfAttempt,
  type ExecutionTrace,
  type Visit,
} from './spans-of.ts';

/**
 * Traces of executions, sent to a collector over OTLP/HTTP.
 *
 * What the engine reports is only put down; spans are made and sent behind its back, a second later.
 * Where an execution's spans belong stands in its first event (the caller's traceparent, or the
 * parent execution), which is read once by each process that has something to tell of it.
 *
 * Spans may be lost, and nothing waits for them: when the collector is away they are kept up to a
 * bound, and then the newest are dropped; a process that is killed loses its last second.
 */
export interface Tracing {
  readonly attempt: (of: AttemptReport) => void;
  readonly ended: (of: EndReport) => void;
  /** What a worker's own spans of an attempt belong under; null: the execution is not traced. */
  readonly traceparentOf: (
    visit: Visit & { readonly executionId: ExecutionId },
  ) => Promise<string | null>;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** Base address of the collector; `/v1/traces` is added where it is not there. */
  readonly endpoint: string;
  readonly resource: Attributes;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly history: Pick<ExecutionStore, 'events'>;
  readonly onSpans: (count: number, outcome: 'exported' | 'dropped') => void;
  /** Told once for each time that the collector begins to fail. */
  readonly onFailure: (error: unknown) => void;
}

const EVERY_MS = 1_000;
const SPANS_MAX = 512;
const WAITING_MAX = 4_096;
const SEND_MS_MAX = 5_000;
const KNOWN_MAX = 10_000;
/** Executions nested deeper than this begin a trace of their own. */
const NESTING_MAX = 64;

type Report =
  { readonly attempt: AttemptReport; readonly endMs: number } | { readonly end: EndReport };

export function createTracing(options: TracingOptions): Tracing {
  const { history, onSpans } = options;
  const url = /\/v1\/traces\/?$/.test(options.endpoint)
    ? options.endpoint
    : `${options.endpoint.replace(/\/$/, '')}/v1/traces`;
  const known = new Map<string, Promise<ExecutionTrace>>();
  const waiting: Report[] = [];
  let isFailing = false;
  let sending: Promise<void> | null = null;
  const timer = setInterval(() => void sendSoon(), EVERY_MS);
  timer.unref();

  function add(report: Report): void {
    if (waiting.length >= WAITING_MAX) onSpans(1, 'dropped');
    else waiting.push(report);
  }

  function traceOf(executionId: ExecutionId, nesting = 0): Promise<ExecutionTrace> {
    const found = known.get(executionId);
    if (found !== undefined) return found;
    const reading = readTrace(executionId, nesting);
    known.set(executionId, reading);
    // What could not be read is read again, not remembered.
    reading.catch(() => known.delete(executionId));
    const [oldest] = known.keys();
    if (known.size > KNOWN_MAX && oldest !== undefined) known.delete(oldest);
    return reading;
  }

  async function readTrace(executionId: ExecutionId, nesting: number): Promise<ExecutionTrace> {
    const [first] = await history.events({ executionId, after: 0, limit: 1 });
    if (first?.kind !== 'WorkflowStarted') throw new Error(`${executionId} has no first event`);
    const { workflow_id: workflowId, traceparent, parent_execution_id: parent } = first.payload;
    const own = {
      traceId: ownTraceId(executionId),
      parentSpanId: null,
      isSampled: true,
      workflowId,
    };
    const caller = traceparent === undefined ? null : parseTraceparent(traceparent);
    if (caller !== null) return { ...own, ...caller, parentSpanId: caller.spanId };
    if (parent === undefined || nesting >= NESTING_MAX) return own;
    const above = await traceOf(parent as ExecutionId, nesting + 1);
    return { ...above, workflowId, parentSpanId: executionSpanId(parent) };
  }

  async function spansOf(report: Report): Promise<readonly Span[]> {
    const { executionId } = 'end' in report ? report.end : report.attempt;
    const trace = await traceOf(executionId);
    if (!trace.isSampled) return [];
    return 'end' in report
      ? [spanOfExecution(report.end, trace)]
      : spansOfAttempt(report.attempt, trace, report.endMs);
  }

  function sendSoon(): Promise<void> {
    sending ??= sendAll().finally(() => (sending = null));
    return sending;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const reports = waiting.slice(0, SPANS_MAX);
      try {
        const spans = (await Promise.all(reports.map(spansOf))).flat();
        if (spans.length > 0) await post(encodeTraces(spans, options.resource));
        waiting.splice(0, reports.length);
        onSpans(spans.length, 'exported');
        isFailing = false;
      } catch (error) {
        if (!isFailing) options.onFailure(error);
        isFailing = true;
        if (!(error instanceof RefusedError)) return;
        waiting.splice(0, reports.length);
        onSpans(reports.length, 'dropped');
      }
    }
  }

  async function post(body: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(SEND_MS_MAX);
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    await response.body?.cancel();
    if (response.ok) return;
    const told = `the collector answered ${response.status}`;
    // What it can never take is not sent again.
    if (RETRIABLE.has(response.status)) throw new Error(told);
    throw new RefusedError(told);
  }

  return {
    attempt: (attempt) =>
      add({
        attempt,
        endMs: attempt.endedAt === null ? options.now() : Date.parse(attempt.endedAt),
      }),
    ended: (end) => add({ end }),
    async traceparentOf(visit) {
      const { traceId, isSampled } = await traceOf(visit.executionId);
      return writeTraceparent({ traceId, spanId: attemptSpanId(visit), isSampled });
    },
    async close() {
      clearInterval(timer);
      await sending;
      await sendSoon();
      if (waiting.length > 0) onSpans(waiting.length, 'dropped');
    },
  };
}

/** By the specification of OTLP/HTTP, all others are final. */
const RETRIABLE = new Set([429, 502, 503, 504]);

class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
