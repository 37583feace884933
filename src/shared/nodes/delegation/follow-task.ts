import { AgentFailure } from '../../domain/a2a/agent-failure.ts';
import { isSettled, type AgentTask } from '../../domain/a2a/agent-task.ts';
import type { A2aAgent } from '../../ports/a2a.ts';

export interface Delays {
  /** Resolves after this time, or when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Aborts after this time. */
  timeout(ms: number): AbortSignal;
}

/** Pauses between two readings grow from the first to the second. */
const PAUSE_MS = { first: 250, max: 15_000 };
const GROWTH = 1.5;
/** A silent stream is not trusted longer. */
const STREAM_MS_MAX = 30_000;
/** One after the other: a task that runs for hours meets a restart of its agent now and then. */
const FAILURES_MAX = 5;
/** How often a question is taken for the one that was just answered, before it is asked again. */
const OLD_READINGS_MAX = 8;

/**
 * Reads a task until waiting no longer changes it. Only reads count; a stream merely says when to
 * read again.
 */
export async function followTask(params: {
  readonly agent: A2aAgent;
  readonly taskId: string;
  /** A question that has been answered; an agent may show it until it continues. */
  readonly answered: string | null;
  readonly stream: boolean;
  /** The stream of the pending answer; null: none. */
  readonly rests: Promise<void> | null;
  readonly signal: AbortSignal;
  readonly delays: Delays;
}): Promise<AgentTask> {
  const { agent, taskId, stream, rests, signal, delays } = params;
  let pauseMs = PAUSE_MS.first;
  let failures = 0;
  let readings = 0;
  if (rests !== null) await Promise.race([rests, delays.pause(STREAM_MS_MAX, signal)]);
  for (;;) {
    signal.throwIfAborted();
    try {
      const task = await agent.get(taskId, signal);
      const isOld = task.state === 'input_required' && task.saying === params.answered;
      if (isSettled(task.state) && (!isOld || readings >= OLD_READINGS_MAX)) return task;
      readings += 1;
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!isPassing(error) || failures >= FAILURES_MAX || signal.aborted) throw error;
    }
    if (stream && agent.streams) await watch(params);
    else await delays.pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * GROWTH, PAUSE_MS.max);
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof AgentFailure && !error.isFinal && error.retryAfterMs === null;
}

/** At least the first pause, so that an agent whose streams end at once is not asked without end. */
async function watch(params: Parameters<typeof followTask>[0]): Promise<void> {
  const { agent, taskId, signal, delays } = params;
  const watching = new AbortController();
  const ended = AbortSignal.any([signal, watching.signal]);
  const changed = Promise.race([agent.watch(taskId, ended), delays.pause(STREAM_MS_MAX, ended)]);
  await Promise.all([changed, delays.pause(PAUSE_MS.first, signal)]);
  watching.abort();
}
