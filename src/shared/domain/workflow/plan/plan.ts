import type { Batch, Concurrency, Debounce, StartRate } from '../flow/concurrency.ts';
import type { Fairness } from '../flow/fairness.ts';
import type { StartTimes } from '../flow/start-times.ts';
import type { ChildEnd } from '../../execution/state.ts';
import type { Mapping } from '../../expression/mapping.ts';
import type { Expression } from '../../expression/parse-expression.ts';
import type { Metered } from '../../expression/step-budget.ts';
import type { ExecutionId } from '../../ids.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { DataPolicy, PartialDataPolicy } from '../../data-policy/data-policy.ts';
import type { Budget } from '../../budget/budget.ts';
import type { Policy } from '../../policy/policy.ts';
import type { RetryPolicy } from '../../work/retry.ts';
import type { WorkQueue } from '../../work/work-item.ts';
import type { WorkflowParts, WrittenRetryPolicy } from '../parse/parts.ts';
import type { FieldSchemas } from '../schema/fields.ts';
import type { Problem, WarningCode } from '../problem.ts';

/** Target that ends a path: it is never a node, and a token that reaches it is simply gone. */
export const END_TARGET = 'end';

/**
 * A workflow definition ready to run: every name resolved, every default filled in, reachability
 * worked out. Immutable; compiled once per stored revision and cached by every process.
 */
export interface Plan {
  readonly workflowId: string;
  readonly version: string;
  /** Null: the workflow has no nodes and completes at once. */
  readonly startNode: string | null;
  readonly nodes: ReadonlyMap<string, PlanNode>;
  /** JSON Schema the input must satisfy; null when absent or an opaque reference. */
  readonly stateSchema: JsonObject | null;
  /** The labels of its executions. */
  readonly executionLabels: LabelMappings;
  /** Null: any number of its executions run at a time. */
  readonly concurrency: Concurrency | null;
  /** Null: its executions begin as fast as they are started. */
  readonly rate: StartRate | null;
  /** Null: every start begins an execution. */
  readonly debounce: Debounce | null;
  /** Null: each start has an execution for its input alone. */
  readonly batch: Batch | null;
  /** Null: their items are handed out by age. */
  readonly fairness: Fairness | null;
  /** Those of its executions that are started without times of their own. */
  readonly startTimes: StartTimes;
  readonly workflowTimeoutMs: number | null;
  readonly continueAsNew: ContinueAsNew | null;
  /** The workflow's own; null: none. */
  readonly policy: Policy | null;
  readonly budget: Budget | null;
  /** The workflow's own; null: none. */
  readonly dataPolicy: PartialDataPolicy | null;
  /** The policy for its state; null: no level has one. */
  readonly shownPolicy: DataPolicy | null;
  readonly parts: WorkflowParts;
  /** Nodes that run when the execution ends; no edge leads to them or from them. */
  readonly finalizers: readonly { readonly nodeId: string; readonly runOn: RunOn }[];
  /** Nodes that are undone, by their ids. */
  readonly undos: ReadonlyMap<string, PlannedUndo>;
  /** False: every reachable node is reached, so none is ever skipped. */
  readonly hasChoice: boolean;
  /** Whether `to` can be reached from `from` along one or more control edges. */
  reaches(from: string, to: string): boolean;
}

/** Names of labels, and where their values come from. */
export type LabelMappings = readonly (readonly [string, Mapping])[];

/** When a run ends and another continues; at least one of the two is not null. */
export interface ContinueAsNew {
  /** From so many events on. */
  readonly afterEvents: number | null;
  readonly when: Expression | null;
}

export const UNDO_ON = ['failed', 'cancelled'] as const;

/** How a node is undone. */
export interface PlannedUndo {
  /** The node that undoes it; no edge leads to it or from it. */
  readonly nodeId: string;
  /** The ends at which it is. */
  readonly on: readonly (typeof UNDO_ON)[number][];
}

/** `failure`: the execution failed, or was cancelled. */
export type RunOn = 'success' | 'failure' | 'always';

export interface PlanNode {
  readonly id: string;
  readonly kind: NodeKind<unknown>;
  /** The result of `kind.parse` for the node's fields. */
  readonly spec: unknown;
  readonly edges: readonly PlanEdge[];
  /** Distinct nodes with a control edge to this one. */
  readonly predecessors: readonly string[];
  /** Non-null on a `join` that waits for exactly these. */
  readonly waitFor: readonly string[] | null;
  /** Reachable from the start node; the others, finalizers and undos apart, never run and were warned about. */
  readonly reachable: boolean;
  /** The `map` node this node is the body of; a body takes no part in routing. */
  readonly bodyOf: string | null;
  readonly outputKey: string | null;
  readonly inputMapping: Mapping | null;
  readonly retryPolicy: RetryPolicy;
  readonly nodeTimeoutMs: number | null;
  readonly scheduleToStartMs: number | null;
  readonly heartbeatIntervalMs: number;
  readonly approvalTimeoutMs: number | null;
  readonly policy: Policy | null;
  readonly dataPolicy: PartialDataPolicy | null;
}

/** A node may have several edges to the same target, with different conditions. */
export interface PlanEdge {
  /** A node's id, or `END_TARGET`. */
  readonly to: string;
  /** `choice`: only when the node itself names the target. */
  readonly on: 'success' | 'failure' | 'choice';
  /** Null: unconditional. */
  readonly condition: Expression | null;
}

/** The state keys that a node writes beside its output key; `any`: only a run shows them. */
export type WrittenKeys = readonly string[] | 'any';

/**
 * One kind of node: how its fields are read, and what entering it does. Pure: what needs the outside
 * world is the kind's runner (`shared/nodes/runnable-kind.ts`), which the scheduler calls for visits
 * on the `engine` queue.
 */
export interface NodeKind<Spec> {
  readonly type: string;
  readonly aliases: readonly string[];
  /** The fields it reads: these may also stand beside `kind` instead of in it. */
  readonly fields?: FieldSchemas;
  /** The field that names another node and may also hold that node itself. */
  readonly inlineNode?: string;
  /** A field in place of that node, the type of node it stands for, and what else goes into it. */
  readonly shorthand?: {
    readonly field: string;
    readonly type: string;
    readonly fields: readonly string[];
  };
  /** Whether a visit stays with the build of workers that opened its first turn. Absent: it does not. */
  isPinned?(spec: Spec): boolean;
  /** False: the time-out of a visit stops while its function is suspended. Absent: it does not. */
  countsSuspended?(spec: Spec): boolean;
  /** The queue that its work waits on, of those of its type; null or absent: the default queue. */
  queueName?(spec: Spec): string | null;
  /**
   * The same for a call with this input, where that decides: an item below a quota waits on a queue of
   * the quota. Not ok: entering the node failed.
   */
  queueOfCall?(
    spec: Spec,
    input: JsonValue,
  ): { readonly ok: true; readonly name: string | null } | { readonly ok: false };
  /** Whether its items wait for a place of a quota. Absent: they do not. */
  hasQuota?(spec: Spec): boolean;
  /** May be the body of a `map`, and undo another node. */
  readonly leaf: boolean;
  /** Whether its success is reported as a tool call (ToolCallCompleted before NodeCompleted). */
  readonly toolLike: boolean;
  /** Work under its old key would be taken for work that has ended, and not be done again. */
  readonly freshKeyOnRetry?: true;
  /** It may wait for months: only the `node_timeout_secs` of the node itself bounds it. */
  readonly takesItsTime?: true;
  /** Its behavior depends on how often it was entered, so a run that continues another keeps the count. */
  readonly countsVisits?: true;
  /** On success only the edges it implies are taken, never others of the workflow. */
  readonly branchesOnly?: boolean;
  /** Reads the kind's own fields; reports what is wrong to `at` and then returns null. */
  parse(fields: JsonObject, at: ParseContext): Spec | null;
  /** Control edges that the kind itself implies. */
  edges?(spec: Spec): readonly ImpliedEdge[];
  /** The nodes that a barrier waits for; null: all that lead to it. */
  waitFor?(spec: Spec): readonly NodeReference[] | null;
  /** Its errors in the context of the workflow; pointers are relative to the kind's fields. */
  checkPlace?(spec: Spec, place: NodePlace): readonly Problem[];
  /** The node that is run once for each item. */
  body?(spec: Spec): NodeReference;
  /** A finalizer: at which ends of an execution it runs. */
  runOn?(spec: Spec): RunOn;
  /** Name of the outside tool, for events, metrics and policies. */
  tool?(spec: Spec): string;
  /** Further names of that tool, which policies may give it as well. */
  toolAliases?(spec: Spec): readonly string[];
  /** The model it asks, for traces. */
  asks?(spec: Spec): { readonly name: string; readonly provider: string };
  /** Names of the model it calls, as policies may write them. */
  model?(spec: Spec): readonly string[];
  /** The retry policy of its target, for nodes without their own. */
  retryPolicy?(spec: Spec): WrittenRetryPolicy | undefined;
  /** The state keys that it writes besides its output key. Default: none. */
  writes?(spec: Spec, node: { readonly hasOutputKey: boolean }): WrittenKeys;
  /** The key of the input that its body finds an item under. */
  itemKey?(spec: Spec): string;
  /** JSON Schema of the results that workers give; null: anything. */
  outputSchema?(spec: Spec): JsonObject | null;
  enter(spec: Spec, context: EnterContext): Entry;
  /** Decides what the end of a child execution that its work started means. */
  afterChild?(
    spec: Spec,
    context: EnterContext,
    end: ChildEnd,
  ): Extract<Entry, { do: 'complete' | 'fail' }>;
}

/** The surroundings of a node, once all edges are known. */
export interface NodePlace {
  /** Those with a control edge to it. */
  readonly predecessors: readonly { readonly id: string; readonly kind: NodeKind<unknown> }[];
  /** Whether there is a way from a node to this one. True of what is no node: that is reported elsewhere. */
  leadsHere(from: string): boolean;
}

/** Another node, named by a field of this one. */
export interface NodeReference {
  readonly to: string;
  /** JSON pointer below the kind, for problems: `/branches/0/target`. */
  readonly pointer: string;
}

export interface ImpliedEdge extends NodeReference {
  readonly on: PlanEdge['on'];
}

/** Where a kind's parser reports problems; pointers are relative to the kind's fields. */
export interface ParseContext {
  problem(pointer: string, message: string): void;
  warn(code: WarningCode, pointer: string, message: string): void;
  /** All node ids of the workflow. */
  readonly nodeIds: ReadonlySet<string>;
  readonly nodeId: string;
  /** The models, tools, servers and agents that the workflow names. */
  readonly parts: WorkflowParts;
  /** Nodes that the workflow lists an edge from to this one. */
  readonly listedBefore: readonly string[];
  /** The success edges that the workflow lists for this node, in order. */
  readonly outEdges: readonly { readonly to: string; readonly condition: string | null }[];
}

export interface EnterContext {
  readonly node: PlanNode;
  readonly executionId: ExecutionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly visit: number;
  readonly scope: ExpressionScope;
  /** Set on a visit that is one item of a `map` visit: its item, and the key it goes under. */
  readonly item?: { readonly key: string; readonly value: JsonValue } | null;
  /** The input that a function continued with, in place of the mapped one. */
  readonly input?: JsonValue;
  /** Outputs of the nodes that a join collects, in order of completion. */
  readonly arrivals: readonly { readonly nodeId: string; readonly output: JsonValue }[];
}

/** The variables of expressions and mappings. For a map item, `input` also contains the item. */
export interface ExpressionScope extends Metered {
  readonly state: JsonObject;
  readonly output: JsonValue;
  readonly input: JsonObject;
  readonly execution: JsonObject;
}

/** The effect of entering a node. `Queue`: the queues that its work may wait on. */
export type Entry<Queue extends WorkQueue = WorkQueue> =
  /** Done at once. `targets`: the successors the kind chose itself, in place of its edges. */
  | {
      readonly do: 'complete';
      readonly output: JsonValue;
      readonly statePatch?: JsonObject;
      readonly targets?: readonly string[];
      /** Rules that do not hold and are put on record. */
      readonly violations?: readonly RuleViolation[];
    }
  /** Work on a queue. For workers `payload` holds module, function and so on without `input`. */
  | {
      readonly do: 'work';
      readonly queue: Queue;
      readonly input: JsonValue;
      readonly payload: JsonObject;
    }
  /** Parks until the timer fires, the event arrives, or either. Null: not waited for. */
  | {
      readonly do: 'wait';
      readonly timer: TimerSpec | null;
      readonly correlationKey: string | null;
      /**
       * When the timer fires first: `complete` with output null, or `{timed_out: true}` if an event
       * was waited for too; `fail` with error class `timeout`.
       */
      readonly onTimeout: 'complete' | 'fail';
    }
  /** Parks for a person's decision. */
  | {
      readonly do: 'approval';
      readonly description: string | null;
      readonly timeoutMs: number | null;
      /** The value that the person decides on; null: the question says all. */
      readonly shown: JsonObject | null;
    }
  /** Runs `body` once for each item, then completes with the list of their outputs. */
  | {
      readonly do: 'map';
      readonly items: readonly JsonValue[];
      readonly body: string;
      readonly itemKey: string;
      readonly maxConcurrency: number;
      readonly onItemFailure: 'fail' | 'collect';
    }
  /** Ends the execution as failed. */
  | { readonly do: 'end'; readonly error: string; readonly errorClass: string }
  /** The node fails; `error` quotes the expression or field at fault. */
  | {
      readonly do: 'fail';
      readonly error: string;
      readonly errorClass: string;
      readonly violations?: readonly RuleViolation[];
    };

/** A rule of a policy that does not hold, and what its author says about it. */
export interface RuleViolation {
  readonly name: string;
  readonly message: string;
}

export type TimerSpec =
  | { readonly delayMs: number }
  /** ISO 8601 UTC instant. */
  | { readonly until: string };
