import { BoundedMap } from '../../domain/bounded-map.ts';
import { parseTraceparent, writeTraceparent } from '../../domain/traceparent.ts';
import type { DefinitionId, ExecutionId } from '../../domain/ids.ts';
import type { AttemptReport, EndReport, StepsReport } from '../../engine/report.ts';
import type { ExecutionStore } from '../../store/store.ts';
import { createSpanExport, type SpanExportOptions } from './export-spans.ts';
import type { Span } from './span.ts';
import {
  attemptSpanId,
  executionSpanId,
  ownTraceId,
  spanOfExecution,
  spansOfAttempt,
  spansOfSteps,
  type ExecutionTrace,
  type Visit,
} from './spans-of.ts';

/**
 * Traces of executions, sent to a collector over OTLP/HTTP.
 *
 * The engine's reports are only collected; spans are made and sent in the background, a second
 * later. The first event of an execution contains the parent of its spans (the caller's
 * traceparent, or the parent execution). Each process that exports spans of the execution reads it
 * once.
 *
 * Spans may be lost, and nothing waits for them: while the database is unavailable, reports are
 * kept up to a limit; while the collector is unavailable, spans are, and beyond the limit the
 * newest are dropped. A killed process loses its last seconds.
 */
export interface Tracing {
  readonly attempt: (of: AttemptReport) => void;
  readonly steps: (of: StepsReport) => void;
  readonly ended: (of: EndReport) => void;
  /** The parent of a worker's own spans of an attempt; null: the execution is not traced. */
  readonly traceparentOf: (
    visit: Visit & { readonly executionId: ExecutionId },
  ) => Promise<string | null>;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

export interface TracingOptions extends SpanExportOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly history: Pick<ExecutionStore, 'events'>;
  /** A message as the data policies of the workflow, and of the node, let readers see it. */
  readonly shownError: (of: {
    readonly definitionId: DefinitionId;
    readonly nodeId: string | null;
    readonly error: string;
  }) => Promise<string>;
  /** The model costs of an ended execution, in US dollars. */
  readonly costOf: (of: Pick<EndReport, 'executionId' | 'tenantId'>) => Promise<number>;
}

const EVERY_MS = 1_000;
const REPORTS_MAX = 512;
const WAITING_MAX = 4_096;
const KNOWN_MAX = 10_000;
/** Executions nested deeper than this begin a trace of their own. */
const NESTING_MAX = 64;

type Report =
  | { readonly attempt: AttemptReport; readonly endMs: number }
  | { readonly steps: StepsReport }
  | { readonly end: EndReport };

export function createTracing(options: TracingOptions): Tracing {
  const traceOf = createTraces(options.history);
  const backlog = createBacklog(options, (report) => spansOf(report, { options, traceOf }));
  const add = backlog.add;
  return {
    attempt: (attempt) =>
      add({
        attempt,
        endMs: attempt.endedAt === null ? options.now() : Date.parse(attempt.endedAt),
      }),
    steps: (steps) => add({ steps }),
    ended: (end) => add({ end }),
    async traceparentOf(visit) {
      const { traceId, isSampled } = await traceOf(visit.executionId);
      return writeTraceparent({ traceId, spanId: attemptSpanId(visit), isSampled });
    },
    close: () => backlog.close(),
  };
}

type ReadTrace = (executionId: ExecutionId, nesting?: number) => Promise<ExecutionTrace>;

/** The traces of executions, each read once. */
function createTraces(history: TracingOptions['history']): ReadTrace {
  const known = new BoundedMap<string, Promise<ExecutionTrace>>(KNOWN_MAX);

  const traceOf: ReadTrace = (executionId, nesting = 0) => {
    const found = known.get(executionId);
    if (found !== undefined) return found;
    const reading = readTrace(executionId, nesting);
    known.set(executionId, reading);
    // A failed read is repeated, not cached.
    reading.catch(() => known.delete(executionId));
    return reading;
  };

  async function readTrace(executionId: ExecutionId, nesting: number): Promise<ExecutionTrace> {
    const [first] = await history.events({ executionId, after: 0, limit: 1 });
    if (first?.kind !== 'WorkflowStarted') throw new Error(`${executionId} has no first event`);
    const { workflow_id: workflowId, traceparent, parent_execution_id: parent } = first.payload;
    const of = { workflowId, definitionId: first.payload.definition_id as DefinitionId };
    const own = { ...of, traceId: ownTraceId(executionId), parentSpanId: null, isSampled: true };
    const caller = traceparent === undefined ? null : parseTraceparent(traceparent);
    if (caller !== null) return { ...own, ...caller, parentSpanId: caller.spanId };
    if (parent === undefined || nesting >= NESTING_MAX) return own;
    const above = await traceOf(parent as ExecutionId, nesting + 1);
    return { ...above, ...of, parentSpanId: executionSpanId(parent) };
  }

  return traceOf;
}

interface SpanMeans {
  readonly options: Pick<TracingOptions, 'shownError' | 'costOf'>;
  readonly traceOf: ReadTrace;
}

async function spansOf(report: Report, means: SpanMeans): Promise<readonly Span[]> {
  const { options, traceOf } = means;
  const trace = await traceOf(executionOf(report));
  if (!trace.isSampled) return [];
  const { definitionId } = trace;
  const show = (nodeId: string | null, error: string) =>
    options.shownError({ definitionId, nodeId, error });
  if ('steps' in report) return spansOfSteps(await showSteps(report.steps, show), trace);
  if ('end' in report) {
    const { error } = report.end;
    const shown = error === null ? null : await show(null, error);
    const costUsd = await options.costOf(report.end);
    return [spanOfExecution({ ...report.end, error: shown, costUsd }, trace)];
  }
  const { attempt, endMs } = report;
  const { nodeId, error } = attempt;
  if (error === null) return spansOfAttempt(attempt, trace, endMs);
  const message = await show(nodeId, error.message);
  return spansOfAttempt({ ...attempt, error: { ...error, message } }, trace, endMs);
}

async function showSteps(
  of: StepsReport,
  show: (nodeId: string, error: string) => Promise<string>,
): Promise<StepsReport> {
  const steps = of.steps.map(async (step) => {
    if (step.error === null) return step;
    const message = await show(of.nodeId, step.error.message);
    return { ...step, error: { ...step.error, message } };
  });
  return { ...of, steps: await Promise.all(steps) };
}

interface Backlog {
  readonly add: (report: Report) => void;
  close(): Promise<void>;
}

/** Reports wait here, and leave as spans every second. */
function createBacklog(
  options: TracingOptions,
  makeSpans: (report: Report) => Promise<readonly Span[]>,
): Backlog {
  const { onSpans } = options;
  const exported = createSpanExport(options);
  const waiting: Report[] = [];
  let isFailing = false;
  let handingOver: Promise<void> | null = null;
  const timer = setInterval(() => void handOver(), EVERY_MS);
  timer.unref();

  function handOver(): Promise<void> {
    handingOver ??= handAllOver().finally(() => (handingOver = null));
    return handingOver;
  }

  async function handAllOver(): Promise<void> {
    while (waiting.length > 0) {
      const reports = waiting.slice(0, REPORTS_MAX);
      const made = await Promise.allSettled(reports.map(makeSpans));
      const failed = made.filter((each) => each.status === 'rejected');
      if (failed[0] !== undefined && !isFailing) options.onFailure(failed[0].reason);
      isFailing = failed.length > 0;
      // The database is unavailable. If only some fail, their executions are gone.
      if (failed.length === reports.length) return;
      waiting.splice(0, reports.length);
      if (failed.length > 0) onSpans(failed.length, 'dropped');
      for (const each of made) {
        if (each.status === 'fulfilled') each.value.forEach((span) => exported.add(span));
      }
    }
  }

  return {
    add(report) {
      if (waiting.length >= WAITING_MAX) onSpans(1, 'dropped');
      else waiting.push(report);
    },
    async close() {
      clearInterval(timer);
      await handingOver;
      await handOver();
      if (waiting.length > 0) onSpans(waiting.length, 'dropped');
      await exported.close();
    },
  };
}

function executionOf(report: Report): ExecutionId {
  if ('end' in report) return report.end.executionId;
  return 'steps' in report ? report.steps.executionId : report.attempt.executionId;
}
