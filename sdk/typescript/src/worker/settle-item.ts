import type { Entry, EntryUsage } from '../functions/journal.ts';
import { LeaseLostError } from './errors.ts';
import type { Labels } from './labels.ts';
import type { Logger } from './logger.ts';
import { refusal } from './refusal.ts';
import type { Report, Reports } from './reports.ts';
import { reasonIn, type Answer, type Api } from './send.ts';
import type { WorkItem } from './work-item.ts';

/*
 * The end of an item. A request without an answer is sent again with the same fence and key, for as
 * long as the lease is held. A 409 or a 404 says that nothing is left to do: the item is settled, by
 * an earlier try of this request or by somebody else.
 */

export interface Held {
  readonly api: Api;
  readonly reports: Reports;
  readonly item: WorkItem;
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
  readonly logger: Logger;
}

/** Entries of a function's journal that are recorded in the same commit. */
export interface Riding {
  readonly expected_length: number;
  readonly entries: readonly Entry[];
}

export interface Failure {
  readonly message: string;
  readonly errorClass: string;
  /** True: no attempt follows, even if the policy of the node allows one. */
  readonly final?: boolean;
  /** The next attempt follows after that time; null: the retry policy decides. */
  readonly retryAfterMs?: number | null;
  /** Model usage beside that of the entries. */
  readonly usage?: EntryUsage | null;
  /** The runtime has refused another end of the item. */
  readonly followsRefusal?: true;
}

/** How an item ended, as logs tell it. */
export type Ending =
  'completed' | 'continued' | 'failed' | 'released' | 'suspended' | 'abandoned' | 'settled';

/** Hands the output in; an output that the runtime can't record fails the item. */
export async function completeItem(
  held: Held,
  given: {
    readonly output: unknown;
    readonly durationMs: number;
    readonly labels?: Labels;
    readonly riding?: Riding;
  },
): Promise<Ending> {
  const { item } = held;
  const answer = await post(held, {
    kind: 'complete',
    members: {
      execution_id: item.execution_id,
      node_id: item.node_id,
      output: given.output,
      state_patch: {},
      duration_ms: given.durationMs,
      ...(given.labels !== undefined && { labels: given.labels }),
      ...(item.idempotency_key !== undefined && { idempotency_key: item.idempotency_key }),
      ...given.riding,
    },
  });
  if (answer === null) return 'abandoned';
  if (answer.status === 200) return 'completed';
  if (isOver(answer)) return answer.afterUnknown ? 'completed' : 'settled';
  if (isInvalid(answer)) {
    const failure = { ...REFUSED_END, message: reasonIn(answer), errorClass: 'invalid_output' };
    tellRefusal(held, failure);
    if (item.queue_type !== 'function') return failItem(held, failure);
    return failItem(held, { ...failure, final: true }, given.riding);
  }
  throw refusal(answer, held.api);
}

/**
 * Ends the visit of a function, and another one begins with `input`. The runtime gives a repeated
 * request the same answer until the next visit ends.
 */
export async function continueItem(
  held: Held,
  { input, riding }: { readonly input: object; readonly riding: Riding },
): Promise<Ending> {
  const answer = await post(held, { kind: 'continue', members: { input, ...riding } });
  if (answer === null) return 'abandoned';
  if (answer.status === 200) return 'continued';
  if (isOver(answer)) return answer.afterUnknown ? 'continued' : 'settled';
  if (isInvalid(answer)) {
    const message = `the function cannot continue as new: ${reasonIn(answer)}`;
    const failure = { ...REFUSED_END, message, errorClass: 'ContinueAsNewError', final: true };
    tellRefusal(held, failure);
    return failItem(held, failure, riding);
  }
  throw refusal(answer, held.api);
}

export async function failItem(held: Held, failure: Failure, riding?: Riding): Promise<Ending> {
  const members = {
    error: failure.message,
    error_class: failure.errorClass,
    ...(failure.final !== undefined && { final: failure.final }),
    ...(typeof failure.retryAfterMs === 'number' && { retry_after_ms: failure.retryAfterMs }),
    ...usageFields(failure.usage ?? null),
    ...riding,
  };
  const placeIsClaimed = failure.followsRefusal === true;
  const answer = await post(held, { kind: 'fail', members, placeIsClaimed });
  if (answer === null) return 'abandoned';
  if (answer.status === 200) return 'failed';
  if (isOver(answer)) return answer.afterUnknown ? 'failed' : 'settled';
  if (!isInvalid(answer) || riding === undefined || riding.entries.length === 0) {
    throw refusal(answer, held.api);
  }
  const refused = await recordEach(held, riding);
  // The refusal of another end is in the log already.
  if (refused !== null && !placeIsClaimed) {
    held.logger.warn({ error: refused }, 'the runtime refuses entries');
  }
  const { message } = failure;
  const told = refused === null ? {} : { message: `${message}; ${refused}`, final: true };
  return failItem(held, { ...failure, ...told, ...REFUSED_END });
}

/**
 * Records entries one by one, so that those the runtime refuses take no others with them. Says which
 * ones it refuses, and why; null: none.
 */
export async function recordEach(held: Held, riding: Riding): Promise<string | null> {
  let length = riding.expected_length;
  const refused: string[] = [];
  for (const entry of riding.entries) {
    const members = { expected_length: length, entries: [entry] };
    const answer = await post(held, { kind: 'steps', members });
    if (answer?.status === 200) length += 1;
    else if (answer !== null && (isInvalid(answer) || isConflict(answer))) {
      refused.push(`${entry.kind} "${entry.identity}": ${reasonIn(answer)}`);
    } else if (answer === null || isOver(answer)) throw new LeaseLostError('the lease is lost');
    else throw refusal(answer, held.api);
  }
  return refused.length === 0 ? null : `the journal does not take ${refused.join(', ')}`;
}

/** The code of the user has thrown nothing, so no other line of the log has the reason. */
export function tellRefusal(held: Held, { message, errorClass }: Failure): void {
  held.logger.warn({ error: message, error_class: errorClass }, 'the runtime refuses the result');
}

/** The request that was refused has claimed for the place of the item. */
const REFUSED_END = { followsRefusal: true } as const;

function usageFields(usage: EntryUsage | null): object {
  if (usage === null) return {};
  return {
    gen_ai_model: usage.model,
    gen_ai_input_tokens: usage.input_tokens,
    gen_ai_output_tokens: usage.output_tokens,
    gen_ai_cost_usd: usage.cost_usd,
  };
}

/** Gives the item back: it uses no attempt, and another worker may have it. */
export async function releaseItem(held: Held): Promise<Ending> {
  const answer = await post(held, { kind: 'release', members: {} });
  if (answer === null) return 'abandoned';
  if (answer.status === 200 || isOver(answer)) return 'released';
  throw refusal(answer, held.api);
}

function post(
  { reports, item, lost }: Held,
  { members, ...report }: Omit<Report, 'itemId'>,
): Promise<Answer | null> {
  const fenced = { lease_fence: item.lease_fence, ...members };
  return reports.sendUntilAnswered({ ...report, itemId: item.id, members: fenced }, lost);
}

export function isOver(answer: Answer): boolean {
  return answer.status === 409 || answer.status === 404;
}

/** The journal is not as the worker knows it. */
export function isConflict({ body }: Answer): boolean {
  return body['reason'] === 'journal_conflict';
}

/** The runtime cannot record what the request carries. */
export function isInvalid(answer: Answer): boolean {
  return answer.status === 400 || answer.status === 413 || answer.status === 422;
}
