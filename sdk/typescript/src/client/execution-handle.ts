import { awaitEnd, outputOf } from './await-end.ts';
import { toMs, type Duration } from '../duration.ts';
import { followEvents, type FollowEvents } from './follow-events.ts';
import type { Paged } from './paged.ts';
import type { createExecutions, ForkCallOptions, ForkRequest } from './resources/executions.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { BodyOf, Execution, ExecutionEvent, ReplyOf } from './wire.ts';

export interface ResultOptions {
  /** Rejects with a `TimeoutError` when the execution has not ended by then; absent: waits on. */
  readonly timeout?: Duration;
  /** Ends the wait; the execution continues. */
  readonly signal?: AbortSignal;
}

export type Decision = Omit<BodyOf<'approve-execution'>, 'decision'>;

/** One execution. It holds no connection, and may be dropped at any time. */
export interface ExecutionHandle<Output = unknown> {
  readonly id: string;
  /**
   * Waits for the end and gives the output. Rejects with an `ExecutionFailedError`, an
   * `ExecutionCancelledError`, or a `TimeoutError`.
   */
  result(options?: ResultOptions): Promise<Output>;
  /** Events as they are recorded, from the first, or the one after `after`, to the last. */
  events(options?: FollowEvents): AsyncGenerator<ExecutionEvent, void, undefined>;
  /** The events so far, read page by page. */
  history(options?: CallOptions): Paged<ExecutionEvent, ReplyOf<'read-events'>>;
  /** Status, state, input, and what it waits for. */
  describe(options?: CallOptions): Promise<Execution>;
  /** Why it rests, and what would move it on. */
  explain(options?: CallOptions): Promise<ReplyOf<'explain-execution'>>;
  cancel(options?: CallOptions): Promise<ReplyOf<'cancel-execution'>>;
  pause(reason?: string, options?: CallOptions): Promise<ReplyOf<'pause-execution'>>;
  resume(options?: CallOptions): Promise<ReplyOf<'resume-execution'>>;
  /** Delivers an external event to the wait for this key, present or future. */
  signal(
    correlationKey: string,
    payload: BodyOf<'deliver-external-event'>['payload'],
    options?: CallOptions,
  ): Promise<ReplyOf<'deliver-external-event'>>;
  approvals(options?: CallOptions): Promise<ReplyOf<'list-approvals'>>;
  approve(decision?: Decision, options?: CallOptions): Promise<ReplyOf<'approve-execution'>>;
  reject(decision?: Decision, options?: CallOptions): Promise<ReplyOf<'approve-execution'>>;
  /** A new execution that resumes where this one failed. */
  retry(
    changes?: BodyOf<'retry-execution'>,
    options?: CallOptions,
  ): Promise<ExecutionHandle<Output>>;
  /** A new execution that carries this one up to a node, which runs again, or up to an event. */
  fork(from: ForkRequest, options?: ForkCallOptions): Promise<ExecutionHandle<Output>>;
}

export function createExecutionHandle<Output>(
  transport: Transport,
  executions: ReturnType<typeof createExecutions>,
  id: string,
): ExecutionHandle<Output> {
  const decide = (
    decision: 'approved' | 'rejected',
    more: Decision = {},
    options: CallOptions = {},
  ) => executions.approve(id, { ...more, decision }, options);
  return {
    id,
    result: async ({ timeout, signal }: ResultOptions = {}) => {
      const result = await awaitEnd(transport, executions, {
        executionId: id,
        timeoutMs: timeout === undefined ? null : toMs(timeout, 'timeout'),
        signal: signal ?? null,
      });
      return outputOf(result) as Output;
    },
    events: (options) => followEvents(transport, id, options),
    history: (options) => executions.history(id, {}, options),
    describe: (options) => executions.get(id, options),
    explain: (options) => executions.explain(id, options),
    cancel: (options) => executions.cancel(id, options),
    pause: (reason, options) => executions.pause(id, { reason: reason ?? null }, options),
    resume: (options) => executions.resume(id, options),
    signal: (correlationKey, payload, options) =>
      executions.deliver(id, { correlation_key: correlationKey, payload }, options),
    approvals: (options) => executions.approvals(id, options),
    approve: (decision, options) => decide('approved', decision, options),
    reject: (decision, options) => decide('rejected', decision, options),
    retry: async (changes, options) => {
      const { execution_id: next } = await executions.retry(id, changes, options);
      return createExecutionHandle<Output>(transport, executions, next);
    },
    fork: async (from, options) => {
      const { execution_id: next } = await executions.fork(id, from, options);
      return createExecutionHandle<Output>(transport, executions, next);
    },
  };
}
