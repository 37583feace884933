import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';

/**
 * What clients asked and were answered, in the words of the HTTP API. `begun` and `ended` are places
 * in one order of all beginnings and ends: a deed that ended before another began happened before it.
 */
export interface History {
  readonly deeds: readonly Deed[];
  /** Workers of durable functions are processes of their own: what they ask for is not among the deeds. */
  readonly hasUnheardFunctions?: boolean;
}

/** One request as one process of the service got it: one sent again is another. */
export interface Deed {
  readonly client: string;
  readonly tenantId: string;
  readonly asks: Ask;
  readonly begun: number;
  readonly ended: number | null;
  /** Null: it never came, so that the deed may have been done, may still be, or not. */
  readonly answer: Answer | null;
}

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

export type Ask =
  | {
      readonly do: 'start';
      readonly key: string;
      readonly workflowId: string;
      /** Stands in the input as `token`, and in no other. */
      readonly token: string;
      /** All of the input, where it is to be compared. */
      readonly input?: JsonObject;
    }
  | {
      readonly do: 'claim';
      readonly workerId: string;
      readonly queues: readonly string[];
      /** Globs; absent: all. */
      readonly tools?: readonly string[];
      /** Absent: the default queue alone. */
      readonly queueNames?: readonly string[];
      /** The same for a claim that is repeated because its answer was lost. */
      readonly claimId?: string;
    }
  | { readonly do: 'release'; readonly workItemId: string; readonly fence: number }
  | { readonly do: 'heartbeat'; readonly workItemId: string; readonly fence: number }
  | {
      readonly do: 'complete';
      readonly workItemId: string;
      readonly fence: number;
      readonly key: string;
      readonly output: JsonValue;
      /** Of a durable function: recorded with it. */
      readonly entries?: readonly JsonObject[];
    }
  | {
      readonly do: 'fail';
      readonly workItemId: string;
      readonly fence: number;
      /** Of a durable function: recorded with it. */
      readonly entries?: readonly JsonObject[];
      /** In the error: of this failure alone. */
      readonly token?: string;
    }
  /** Of a durable function: its compensations have run. */
  | {
      readonly do: 'complete_rollback';
      readonly workItemId: string;
      readonly fence: number;
      readonly entries: readonly JsonObject[];
    }
  | {
      readonly do: 'record';
      readonly workItemId: string;
      readonly fence: number;
      readonly expectedLength: number;
      readonly entries: readonly JsonObject[];
    }
  | {
      readonly do: 'suspend';
      readonly workItemId: string;
      readonly fence: number;
      readonly expectedLength: number;
      readonly entries: readonly JsonObject[];
      readonly waits: readonly JsonObject[];
    }
  /** The visit ends, and the next one begins with this input. */
  | {
      readonly do: 'continue';
      readonly workItemId: string;
      readonly fence: number;
      readonly expectedLength: number;
      readonly entries: readonly JsonObject[];
      readonly input: JsonObject;
    }
  /** A step of a durable function has its effect outside, or a compensation has. */
  | {
      readonly do: 'step_effect';
      /** The idempotency key of its item. */
      readonly visitKey: string;
      /** Null: the code of the step does not know it. */
      readonly fence: number | null;
      readonly identity: string;
      /** Of the effect: the receiver has it once, however often it is asked. */
      readonly key: string;
    }
  /** By a client of the old protocol, that sends no fence; a key of null: nor a key. */
  | {
      readonly do: 'complete_unfenced';
      readonly workItemId: string;
      readonly key: string | null;
      readonly output: JsonValue;
    }
  | { readonly do: 'fail_unfenced'; readonly workItemId: string }
  | { readonly do: 'dead_letters' }
  | { readonly do: 'requeue'; readonly workItemId: string }
  | { readonly do: 'set_status'; readonly status: 'active' | 'suspended' }
  | { readonly do: 'schedule'; readonly name: string }
  | { readonly do: 'pause_schedule'; readonly name: string }
  | {
      readonly do: 'approve';
      readonly executionId: string;
      readonly decision: 'approved' | 'rejected';
      /** The comment: of this decision alone. */
      readonly token: string;
    }
  | {
      readonly do: 'event';
      readonly executionId: string;
      readonly correlationKey: string;
      /** In the payload: of this event alone. */
      readonly token: string;
    }
  | { readonly do: 'cancel'; readonly executionId: string }
  | { readonly do: 'pause'; readonly executionId: string }
  | { readonly do: 'resume'; readonly executionId: string }
  | { readonly do: 'pause_workflow'; readonly workflowId: string }
  | { readonly do: 'resume_workflow'; readonly workflowId: string }
  | {
      readonly do: 'retry';
      readonly executionId: string;
      /** A change of the state that it goes on with. */
      readonly statePatch: JsonObject | null;
    }
  /** By an operator: what is due is to be removed. */
  | { readonly do: 'retain' }
  | { readonly do: 'read'; readonly executionId: string }
  | { readonly do: 'read_events'; readonly executionId: string }
  | { readonly do: 'explain'; readonly executionId: string }
  /** Of the executions of the tenant, all on one page. */
  | { readonly do: 'list' }
  /** A request that makes a token of this name, which no other has. */
  | { readonly do: 'mint'; readonly name: string }
  /** A call that a node or a worker made to a system outside, which answered with a receipt. */
  | {
      readonly do: 'effect';
      /** The `Idempotency-Key` of the call; null: it came without. */
      readonly key: string | null;
      /** From 0, where the caller says it. */
      readonly attempt: number | null;
    };

export type DeedOf<Do extends Ask['do']> = Deed & { readonly asks: Extract<Ask, { do: Do }> };

export function deedsOf<Do extends Ask['do']>(history: History, name: Do): DeedOf<Do>[] {
  return history.deeds.filter((deed): deed is DeedOf<Do> => deed.asks.do === name);
}

/** The answer, if it was a success. */
export function success(deed: Deed): JsonObject | null {
  const { answer } = deed;
  return answer !== null && answer.status >= 200 && answer.status < 300 ? answer.body : null;
}

/** Who asked for a change, as the audit log names them. */
export function actorOf({ client }: Pick<Deed, 'client'>): string {
  return `token:${client}`;
}

/** It cannot have changed anything: it was refused for what it is. */
export function wasRefused(deed: Deed): boolean {
  return deed.answer !== null && deed.answer.status >= 400 && deed.answer.status < 500;
}

export function isBefore(one: Deed, other: Deed): boolean {
  return one.ended !== null && one.ended < other.begun;
}
