import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { ApiError } from '../../../src/shared/clients/svc/request.ts';
import type { WireEvent, WireExecution } from '../../../src/shared/clients/svc/wire.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { printNote } from '../../cli/output.ts';
import { tellingWaits, type Wait } from '../execution/tell-waits.ts';
import {
  callUntilAnswered,
  isPlaceRefused,
} from '../../../src/shared/evaluation/call-until-answered.ts';

/** How the execution of a case ended, as the runtime tells it. */
export interface EndedExecution {
  /** Null: it was never started. */
  readonly executionId: string | null;
  readonly state: JsonValue;
  /** Set unless it completed. */
  readonly error: string | null;
  /** How long its start waited for a place; null: it was never refused for one. */
  readonly waitedMs: number | null;
  /** From its start to its end, by the runtime's clock. */
  readonly durationMs: number | null;
  /** Its model usage, input and output together. */
  readonly tokens: number | null;
  /** US dollars; null: a price is not known. */
  readonly costUsd: number | null;
}

export interface RunExecution {
  readonly client: SvcClient;
  readonly workflow: { readonly id: string; readonly version: string };
  readonly input: JsonObject;
  readonly idempotencyKey: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told why the execution does not move, when it does not. */
  readonly tellWait: (wait: Wait) => void;
}

const INTERRUPTED = 'the evaluation was interrupted';

/**
 * Starts an execution and follows it to its end, through the runs that continue it. Cancels it if
 * it takes too long, or if the evaluation is interrupted. Rejects when the runtime is gone or
 * refuses the client, because other cases would fail too.
 */
export async function runExecution(params: RunExecution): Promise<EndedExecution> {
  const { client, timeoutMs, signal } = params;
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const usage = new UsageSum();
  const place = new PlaceWait();
  let executionId: string | null = null;
  let startedAt: number | null = null;
  try {
    executionId = await start(params, place, either);
    for (;;) {
      const following = { client, executionId, usage, signal: either };
      const told = { ...following, toldElsewhere: [], tell: params.tellWait };
      const ended: WireExecution = await tellingWaits(told, () => follow(following));
      startedAt ??= Date.parse(ended.created_at);
      const next: string | null = ended.continued_as ?? null;
      if (next === null) {
        return { ...readEnd(ended, startedAt), ...usage.sum(), waitedMs: place.waitedMs };
      }
      executionId = next;
    }
  } catch (error) {
    if (!either.aborted && !isAboutCase(error)) throw error;
    if (executionId !== null) await cancel(client, executionId);
    const late = executionId === null ? place.refusal : null;
    const tooLate = late === null ? 'not done' : 'not started';
    const why = late === null ? '' : `: ${late}`;
    const stopped = signal.aborted ? INTERRUPTED : `${tooLate} within ${timeoutMs / 1000} s${why}`;
    return {
      executionId,
      state: null,
      error: either.aborted ? stopped : (error as ApiError).message,
      waitedMs: place.waitedMs,
      durationMs: null,
      ...usage.sum(),
    };
  }
}

async function start(params: RunExecution, place: PlaceWait, signal: AbortSignal): Promise<string> {
  const { client, input, idempotencyKey } = params;
  const { id: workflowId, version } = params.workflow;
  const { execution_id: executionId } = await callUntilAnswered(
    () => place.watch(client.startExecution({ workflowId, version, input, idempotencyKey })),
    signal,
  );
  return executionId;
}

async function follow(params: {
  readonly client: SvcClient;
  readonly executionId: string;
  readonly usage: UsageSum;
  readonly signal: AbortSignal;
}): Promise<WireExecution> {
  const { client, executionId, usage, signal } = params;
  let after = 0;
  await callUntilAnswered(async () => {
    for await (const event of client.followEvents({ executionId, after, signal })) {
      after = event.sequence;
      usage.add(event);
    }
  }, signal);
  return callUntilAnswered(() => client.readExecution(executionId), signal);
}

function readEnd(ended: WireExecution, startedAt: number) {
  const { execution_id: executionId, status, state = null, error, completed_at: end } = ended;
  return {
    executionId,
    state,
    error: status === 'completed' ? null : (error ?? `the execution was ${status}`),
    durationMs: end === null ? null : Date.parse(end) - startedAt,
  };
}

/** Not about the token or the workflow, which are the same for all cases. */
function isAboutCase(error: unknown): boolean {
  return error instanceof ApiError && ![401, 403, 404].includes(error.status);
}

/** It may have ended in the meantime. */
async function cancel(client: SvcClient, executionId: string): Promise<void> {
  try {
    await client.cancelExecution(executionId);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return;
    const reason = error instanceof Error ? error.message : String(error);
    printNote(`${executionId} could not be cancelled: ${reason}`);
  }
}

/** How long a start is refused because all places of its workflow are taken. */
class PlaceWait {
  #since: number | null = null;
  #until = 0;
  #refusal: string | null = null;

  /** Why the last start was refused. */
  get refusal(): string | null {
    return this.#refusal;
  }

  get waitedMs(): number | null {
    return this.#since === null ? null : Math.round(this.#until - this.#since);
  }

  async watch<Started>(starting: Promise<Started>): Promise<Started> {
    try {
      return await starting;
    } catch (error) {
      if (isPlaceRefused(error)) {
        this.#since ??= performance.now();
        this.#refusal = error.message;
      }
      throw error;
    } finally {
      this.#until = performance.now();
    }
  }
}

/** Adds up what the events say that models used. */
class UsageSum {
  #tokens = 0;
  #costUsd: number | null = 0;

  add({ payload }: WireEvent): void {
    if (!isJsonObject(payload)) return;
    this.#addOne(payload['usage']);
    const { entries, carried } = payload;
    // A retry counts the steps that it takes over in the usage that it begins with.
    if (!Array.isArray(entries) || carried === true) return;
    for (const entry of entries) if (isJsonObject(entry)) this.#addOne(entry['usage']);
  }

  #addOne(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    const { input_tokens: input, output_tokens: output, cost_usd: cost } = usage;
    this.#tokens += toNumber(input) + toNumber(output);
    const isPriced = typeof cost === 'number' && this.#costUsd !== null;
    this.#costUsd = isPriced ? (this.#costUsd ?? 0) + cost : null;
  }

  sum(): Pick<EndedExecution, 'tokens' | 'costUsd'> {
    return { tokens: this.#tokens, costUsd: this.#costUsd };
  }
}

function toNumber(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
