import type { Labels } from '../domain/execution/labels/labels.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';
import type { DefinitionId, ExecutionId, TenantId } from '../domain/ids.ts';
import type { Violation } from '../domain/execution/judge-work.ts';
import type { EffectivePolicy } from '../domain/policy/policy.ts';
import type { ExpressionScope } from '../domain/workflow/plan/plan.ts';

/**
 * The part of an in-engine kind that touches the outside world. A scheduler that holds the item's
 * lease calls it, and settles its outcome like any worker's. A process may die at any point of a
 * run: then another run is the next attempt, under the same idempotency key.
 */
export interface NodeRunner<Spec = unknown> {
  run(call: NodeCall<Spec>): Promise<NodeOutcome>;
}

export interface NodeCall<Spec = unknown> {
  readonly tenantId: TenantId;
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly nodeId: string;
  /** Entries of the node are numbered from 0. */
  readonly visit: number;
  /** Sequence of its NodeScheduled: events up to there stay the same for every attempt. */
  readonly scheduledSequence: number;
  /** As the kind parsed it. */
  readonly spec: Spec;
  readonly input: JsonValue;
  readonly payload: JsonObject;
  /**
   * The values that expressions see: pinned when the visit was scheduled, the same for every
   * attempt.
   */
  readonly scope: ExpressionScope;
  /** From 0. */
  readonly attempt: number;
  /** Passed to every called service, so that it can distinguish a repeated call from a new one. */
  readonly idempotencyKey: string;
  /** Aborted when the lease is lost or the process shuts down. */
  readonly signal: AbortSignal;
  /** Values that this visit has recorded, by name; the last one of each name. */
  readonly progress: Readonly<Record<string, JsonObject>>;
  /**
   * Writes a NodeProgress event, and resolves once it is durable. Rejects with `LeaseLostError` if
   * another process has the item now.
   */
  record(progress: NodeProgress): Promise<void>;
  /** Payloads of the external events that the visit was parked for, oldest first. */
  readonly resumedWith: readonly JsonValue[];
  /** Whether a person has approved this for the visit: of several approvals each counts. */
  isApproved(shown: JsonObject): boolean;
  /** Whether the data policy lets prompts be recorded. */
  readonly retainPrompts: boolean;
  /** For names that are known only now; those the definition tells have been judged. */
  readonly policy: EffectivePolicy;
}

export interface NodeProgress {
  readonly name: string;
  readonly data: JsonObject;
  /** Handed to later attempts of the visit in `progress`. */
  readonly kept: boolean;
}

export type NodeOutcome =
  | {
      readonly ok: true;
      readonly output: JsonValue;
      readonly statePatch: JsonObject;
      readonly usage?: Usage;
      /** Name of the tool, where the definition doesn't tell it. */
      readonly tool?: string;
      /** Successors the kind chose itself, among the edges it implies. */
      readonly targets?: readonly string[];
    }
  | {
      readonly ok: false;
      readonly error: string;
      readonly errorClass: string;
      readonly usage?: Usage;
      /** A rate limit: tried again after this time, without counting the attempt. */
      readonly retryAfterMs?: number;
      /** Never retried, even if the retry policy allows it. */
      readonly final?: boolean;
      /** A policy stands against it: put on record before the failure. */
      readonly violation?: Violation;
    }
  /** The item is given up, and the visit waits; then it is run again, as the same attempt. */
  | { readonly ok: 'parked'; readonly until: ParkedUntil; readonly usage?: Usage }
  /** A child execution begins with the commit that settles the item; the visit waits for its end. */
  | { readonly ok: 'child'; readonly child: ChildStart };

/** The child execution that a node's work asks for. */
export interface ChildStart {
  readonly executionId: ExecutionId;
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly input: JsonObject;
  /** Those that its definition gives it; absent: none. */
  readonly labels?: Labels;
}

export type ParkedUntil =
  /** Key of an external event. */
  | { readonly event: string }
  | { readonly approval: { readonly description: string; readonly shown: JsonObject } };

/** Usage of model calls. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null: the price is not known. */
  readonly costUsd: number | null;
  readonly model?: string;
  readonly finishReason?: string;
}

/** Runners by kind type. */
export type NodeRunners = ReadonlyMap<string, NodeRunner>;

/** The run continues elsewhere, or not at all: its further work is useless. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(workItemId: string) {
    super(`the lease of work item ${workItemId} is lost`);
  }
}
