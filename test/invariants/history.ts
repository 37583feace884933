import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';

/**
 * The requests of clients and the answers they got, in the terms of the HTTP API. `begun` and
 * `ended` are positions in one order of all beginnings and ends. A deed that ended before another
 * began happened before it.
 */
export interface History {
  readonly deeds: readonly Deed[];
  /** Workers of durable functions run in their own processes, so the deeds lack their requests. */
  readonly hasUnheardFunctions?: boolean;
  /** Times of events do not tell how long something took: they stood still meanwhile. */
  readonly clockWasSetBack?: boolean;
}

/** One request as one process of the service received it. A repeated request is another deed. */
export interface Deed {
  readonly client: string;
  readonly tenantId: string;
  readonly asks: Ask;
  readonly begun: number;
  readonly ended: number | null;
  /** Null: no answer arrived. The request may have taken effect, may still do so, or may not. */
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
      /** The `token` in the input; no other input has it. */
      readonly token: string;
      /** The whole input, if the checker must compare it. */
      readonly input?: JsonObject;
      readonly labels?: Readonly<Record<string, string>>;
      /** How long its answer waits for the end; absent: not at all. */
      readonly waitMs?: number;
    }
  | {
      readonly do: 'claim';
      readonly workerId: string;
      readonly queues: readonly string[];
      /** Globs; absent: all. */
      readonly tools?: readonly string[];
      /** Absent: only the default queue. */
      readonly queueNames?: readonly string[];
      /** Absent: the worker names no build. */
      readonly buildId?: string;
      /** A claim that is repeated because its answer was lost has the same id. */
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
      /** Labels of the execution; no other result has them. */
      readonly labels?: Readonly<Record<string, string>>;
      /** New entries of a durable function, recorded in the same commit. */
      readonly entries?: readonly JsonObject[];
    }
  | {
      readonly do: 'fail';
      readonly workItemId: string;
      readonly fence: number;
      /** New entries of a durable function, recorded in the same commit. */
      readonly entries?: readonly JsonObject[];
      /** A text in the error; no other failure has it. */
      readonly token?: string;
    }
  /** The compensations of a durable function have run. */
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
  /** A step or a compensation of a durable function has its effect outside. */
  | {
      readonly do: 'step_effect';
      /** The idempotency key of its item. */
      readonly visitKey: string;
      /** Null: the code of the step doesn't know it. */
      readonly fence: number | null;
      readonly identity: string;
      /** The key of the effect: the receiver applies it once for all requests with this key. */
      readonly key: string;
    }
  /** From a client of the old protocol: without a fence, and without a key if `key` is null. */
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
      /** The comment; no other decision has it. */
      readonly token: string;
    }
  | {
      readonly do: 'event';
      readonly executionId: string;
      readonly correlationKey: string;
      /** A text in the payload; no other event has it. */
      readonly token: string;
    }
  | { readonly do: 'cancel'; readonly executionId: string }
  | { readonly do: 'pause'; readonly executionId: string }
  | { readonly do: 'resume'; readonly executionId: string }
  /** The functions of an execution move to another build; null: to any. */
  | { readonly do: 'move'; readonly executionId: string; readonly buildId: string | null }
  | { readonly do: 'pause_workflow'; readonly workflowId: string }
  | { readonly do: 'resume_workflow'; readonly workflowId: string }
  | {
      readonly do: 'retry';
      readonly executionId: string;
      /** A merge patch of the state that the retry starts with. */
      readonly statePatch: JsonObject | null;
    }
  | {
      readonly do: 'fork';
      readonly executionId: string;
      readonly at: ForkedAt;
      /** A merge patch of the state that the fork begins with. */
      readonly statePatch: JsonObject | null;
      /** Its `Idempotency-Key`; null: each request makes a fork. */
      readonly key: string | null;
    }
  | { readonly do: 'list_forks'; readonly executionId: string }
  | { readonly do: 'export'; readonly executionId: string }
  | {
      readonly do: 'import';
      /** The execution in the document. */
      readonly of: string;
      /** It ran elsewhere: here nothing else has its id. */
      readonly isCopy: boolean;
      /** False: no execution ended with this history, so the service must refuse it. */
      readonly isSound: boolean;
      /** It is the line of an archive, as retention wrote it, and the execution was gone. */
      readonly isArchived?: boolean;
      readonly document: DocumentOf;
    }
  /** An operator has retention remove all executions that are due. */
  | { readonly do: 'retain' }
  | { readonly do: 'read'; readonly executionId: string }
  | { readonly do: 'read_events'; readonly executionId: string }
  /** How it ended, with its final state; the answer waits so long for the end. */
  | { readonly do: 'result'; readonly executionId: string; readonly waitMs: number }
  /** The state after one event, and who set each key. */
  | { readonly do: 'read_state'; readonly executionId: string; readonly sequence: number }
  /** Follows the events over streams, as many as it takes; the answer has all that came. */
  | { readonly do: 'follow'; readonly executionId: string }
  | { readonly do: 'explain'; readonly executionId: string }
  /** Lists the open approvals of the tenant on one page. */
  | { readonly do: 'list_approvals' }
  /** Lists all executions of the tenant on one page. */
  | { readonly do: 'list' }
  /** A request that makes a token of this name; no other request uses the name. */
  | { readonly do: 'mint'; readonly name: string }
  /** A call of a node or a worker to an outside system, which answered with a receipt. */
  | {
      readonly do: 'effect';
      /** The `Idempotency-Key` of the call; null: the call has none. */
      readonly key: string | null;
      /** From 0; null: the caller doesn't send it. */
      readonly attempt: number | null;
    };

/** The parts of an exported execution that the checker compares. */
export interface DocumentOf {
  readonly sha256: string;
  readonly status: string;
  readonly events: readonly {
    readonly sequence: number;
    readonly kind: string;
    readonly node_id: string | null;
    readonly payload: JsonObject;
    readonly actor_id: string;
    readonly created_at: string;
  }[];
}

/** The last event that a fork keeps, or the node that it begins at. */
export type ForkedAt =
  | { readonly sequence: number }
  | {
      readonly nodeId: string;
      /** Null: the last one. */
      readonly visit: number | null;
      /** `failed`: items of a map that succeeded do not run again. */
      readonly items: 'all' | 'failed';
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

/** The client that asked for a change, as the audit log names it. */
export function actorOf({ client }: Pick<Deed, 'client'>): string {
  return `token:${client}`;
}

/** The request cannot have changed anything, because the service refused it. */
export function wasRefused(deed: Deed): boolean {
  return deed.answer !== null && deed.answer.status >= 400 && deed.answer.status < 500;
}

export function isBefore(one: Deed, other: Deed): boolean {
  return one.ended !== null && one.ended < other.begun;
}
