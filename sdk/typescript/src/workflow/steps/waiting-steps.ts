import { isExpression, type Expression } from '../expression.ts';
import type { JsonValue } from '../json.ts';
import { writeOptionalMapping } from '../mapping.ts';
import type { Duration } from '../parts/limits.ts';
import type { Schema } from '../schema.ts';
import type { AnyShape, Shape } from '../shape.ts';
import { createStep, type Gives, type Own, type Step, type StepOptions } from './step.ts';

type WaitCondition = 'timer' | 'external_event' | 'either';

/** When a wait ends: after a time, or at an instant. */
type Timer =
  | { readonly timeout: Duration | Expression<number | string>; readonly until?: never }
  | {
      /** An ISO 8601 instant with `Z` or an offset. */
      readonly until: string | Expression<string>;
      readonly timeout?: never;
    };

interface NoTimer {
  readonly timeout?: never;
  readonly until?: never;
}

interface EventOf<Payload> {
  /** The event's key. Default: the id of the step. */
  readonly correlationKey?: string | Expression<string | number>;
  /** The type of the event's payload. Nothing checks the event. */
  readonly payload?: Schema<Payload>;
}

type WaitFor<Condition, Payload> = Condition extends 'timer'
  ? Timer
  : Condition extends 'either'
    ? Timer & EventOf<Payload>
    : (Timer | NoTimer) & EventOf<Payload>;

type WaitOutput<Condition, Payload> = Condition extends 'timer'
  ? null
  : Condition extends 'either'
    ? Payload | { readonly timed_out: true }
    : Payload;

/** The decision of a person. */
export interface ApprovalOutput {
  readonly decision: string;
  readonly user_id: string | null;
  readonly comment: string | null;
}

interface ApprovalOptions<
  S extends Shape,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** The question to decide. */
  readonly description: string;
  /** Longest wait. Default: `approvalTimeout` of the workflow. */
  readonly timeout?: Duration;
}

/** Steps that wait. */
export interface WaitingSteps<S extends Shape> {
  /**
   * Waits until a time has passed (`timer`), an external event arrives (`external_event`, for which a time is the
   * limit: after it the step fails with error class `timeout`), or either.
   */
  readonly wait: <
    const Condition extends WaitCondition,
    Payload = unknown,
    Key extends string = never,
    Fallback extends string = never,
  >(
    options: { readonly condition: Condition } & WaitFor<Condition, Payload> &
      StepOptions<S, Key, Fallback>,
  ) => Step<Gives<WaitOutput<Condition, Payload>, Key, Fallback>>;

  /** Waits for the decision of a person. It fails when the person rejects. */
  readonly humanApproval: <Key extends string = never, Fallback extends string = never>(
    options: ApprovalOptions<S, Key, Fallback>,
  ) => Step<Gives<ApprovalOutput, Key, Fallback>>;
}

/** `description` is common to all steps. */
const HUMAN_APPROVAL: Own<ApprovalOptions<AnyShape, string, string>> = { timeout: true };
const WAIT: Own<WrittenWait & EventOf<unknown>> & { readonly condition: true } = {
  condition: true,
  timeout: true,
  until: true,
  correlationKey: true,
  payload: true,
};

interface WrittenWait {
  readonly timeout?: Duration | Expression | undefined;
  readonly until?: string | Expression | undefined;
  readonly correlationKey?: string | Expression | undefined;
}

export const waitingSteps: WaitingSteps<AnyShape> = {
  wait({ condition, ...rest }) {
    const { timeout, until, correlationKey }: WrittenWait = rest;
    const kind = {
      type: 'wait',
      condition,
      correlation_key: writeOptionalMapping(correlationKey),
      timeout_secs: writeComputed(timeout),
      until: writeComputed(until),
    };
    return createStep(kind, rest, { own: WAIT });
  },

  humanApproval({ description, timeout, ...options }) {
    const kind = { type: 'human_approval', description, timeout_secs: timeout };
    return createStep(kind, options, { own: HUMAN_APPROVAL });
  },
};

/** A field in which text is an expression, or a path when it starts with `$`. */
export function writeComputed(value: Expression | JsonValue | undefined): JsonValue | undefined {
  if (!isExpression(value)) return value;
  const mapping = value['~mapping'];
  return typeof mapping === 'string' ? mapping : value['~cel'];
}
