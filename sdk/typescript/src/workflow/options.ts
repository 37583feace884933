import type { Expression } from './expression.ts';
import { dropAbsent, mapByName, type JsonObject, type JsonValue } from './json.ts';
import {
  writeRetryPolicy,
  writeTimeouts,
  writeTokenBudget,
  type Duration,
  type RetryPolicy,
  type Timeouts,
  type TokenBudget,
} from './parts/limits.ts';
import { writeModel, writeNamedPrompt, type Model, type NamedPrompt } from './parts/models.ts';
import {
  writeDataPolicy,
  writePolicy,
  writePolicyRules,
  type DataPolicy,
  type Policy,
  type PolicyRules,
} from './parts/policies.ts';
import {
  writeMcpServer,
  writeRemoteAgent,
  type McpServer,
  type RemoteAgent,
} from './parts/servers.ts';
import type { Tool } from './parts/tools.ts';
import { readSchema, type Schema } from './schema.ts';
import type { Names } from './shape.ts';

/** The settings of a definition beside its steps. */
export interface WorkflowOptions<State, N extends Names> {
  /** Any label. Default `1.0.0`. */
  readonly version?: string;
  readonly name?: string;
  readonly description?: string;
  readonly labels?: JsonValue;
  /**
   * Labels of its executions: text, or `{ expr }` or a path over the input, such as `$.customer`. Null gives no label.
   */
  readonly executionLabels?: Readonly<Record<string, JsonValue>>;
  /**
   * The state: its keys and their types. The input of an execution is its first state and must satisfy this schema,
   * so keys that only steps write are optional in it, or are left out: a step's `outputKey` adds its key.
   */
  readonly state?: Schema<State>;
  readonly retryPolicies?: { readonly [Name in N['retryPolicies']]: RetryPolicy };
  readonly timeouts?: Timeouts;
  readonly models?: { readonly [Name in N['models']]: Model<N['retryPolicies']> };
  /** Texts by name, with `{{ expression }}` in them. */
  readonly prompts?: { readonly [Name in N['prompts']]: NamedPrompt };
  readonly tools?: N['tools'];
  readonly mcpServers?: { readonly [Name in N['mcpServers']]: McpServer };
  readonly remoteAgents?: { readonly [Name in N['remoteAgents']]: RemoteAgent };
  /** Which tools and models the workflow may use. */
  readonly policy?: Policy;
  /** Rules by name, for policy steps. */
  readonly policies?: { readonly [Name in N['policies']]: PolicyRules };
  readonly dataPolicy?: DataPolicy;
  readonly tokenBudget?: TokenBudget;
  /** US dollars, above 0. */
  readonly costBudgetUsd?: number;
  /** Effect on further work once a budget is used up. Default `fail`. */
  readonly onBudgetExceeded?: 'fail' | 'pause' | 'warn';
  readonly continueAsNew?: ContinueAsNew;
  readonly concurrency?: Concurrency;
  readonly rate?: StartRate;
  readonly debounce?: Debounce;
  readonly batch?: Batch;
  readonly fairness?: Fairness;
  /** How long an execution waits before it begins. A start may say otherwise. */
  readonly startAfter?: Duration;
  /** An execution that has not begun by then fails. A start may say otherwise. */
  readonly startDeadline?: Duration;
  readonly expose?: Expose;
}

/** How many executions run at a time. */
export interface Concurrency {
  /** Executions with the same value share the limit. Default: all of the workflow. */
  readonly key?: Expression;
  /** 1 to 10 000. */
  readonly limit: number;
  /**
   * The effect on a start when the limit is reached. Default `queue`: it waits, in the order of the
   * starts. `refuse`: it is a `ConflictError` with the code `concurrency_limit`. `cancel_oldest`: the
   * oldest execution is cancelled, and the new one gets its place.
   */
  readonly whenFull?: 'queue' | 'refuse' | 'cancel_oldest';
}

/** The last of several starts that come soon after each other begins. The others end as cancelled. */
export interface Debounce {
  /** Starts with the same value displace each other. Default: all of the workflow. */
  readonly key?: Expression;
  /** How long a start waits for another. */
  readonly wait: Duration;
  /** From the first start that was displaced: one begins then in any case. Default: no limit. */
  readonly maxWait?: Duration;
}

/**
 * Starts gather, and one execution begins for all of them, with the input `{ items: […] }`: their inputs in
 * order. The others end as cancelled.
 */
export interface Batch {
  /** Starts with the same value gather in one batch. Default: all of the workflow. */
  readonly key?: Expression;
  /** The batch closes with so many starts: 2 to 1 000. */
  readonly max: number;
  /** The batch closes this long after its first start. */
  readonly wait: Duration;
}

/** Keys take turns when workers claim from a queue, so no key waits for all items of another. */
export interface Fairness {
  /** Items of executions with the same value share the turns of the key. */
  readonly key: Expression;
  /** How many items a key gets while another of weight 1 gets one: 0.01 to 100. Default 1. */
  readonly weight?: number | Expression;
}

/** How many executions begin in a time. The others wait in the order of their starts. */
export interface StartRate {
  /** Executions with the same value share the rate. Default: all of the workflow. */
  readonly key?: Expression;
  /** Executions in each `per`. */
  readonly limit: number;
  /** From one second to one day. */
  readonly per: Duration;
  /** The most that begin at once, after a rest. Default: `limit`. */
  readonly burst?: number;
}

/** When a run ends for another to continue with its state. */
export type ContinueAsNew =
  | {
      /** 100 or more. */
      readonly afterEvents: number;
      readonly when?: Expression;
    }
  | { readonly afterEvents?: number; readonly when: Expression };

/** Ways to reach the workflow beside the API. */
export interface Expose {
  /** Whether it is an agent of the Agent2Agent protocol. */
  readonly a2a?: boolean;
  /** Path of the result in the final state, such as `$.reply`. Default: the whole state. */
  readonly result?: `$${string}`;
  /** Media types. */
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
}

/** The definition without its steps: first what stands before them, then what stands behind. */
export function writeOptions(
  id: string,
  options: WorkflowOptions<unknown, Names>,
): { readonly version: string; readonly head: JsonObject; readonly tail: JsonObject } {
  const { version = '1.0.0' } = options;
  return {
    version,
    head: {
      workflow_id: id,
      version,
      name: options.name,
      description: options.description,
      labels: options.labels,
      execution_labels: options.executionLabels,
      state_schema: readSchema(options.state, `the state of ${id}`),
    },
    tail: { ...writeParts(options), ...writeBounds(options) },
  };
}

function writeParts(options: WorkflowOptions<unknown, Names>): JsonObject {
  return {
    retry_policies: mapByName<RetryPolicy>(options.retryPolicies, writeRetryPolicy),
    timeouts: writeTimeouts(options.timeouts),
    models: mapByName<Model>(options.models, writeModel),
    prompts: mapByName<NamedPrompt>(options.prompts, writeNamedPrompt),
    tools: mapByName<Tool>(options.tools, (tool) => tool['~tool']),
    mcp_servers: mapByName<McpServer>(options.mcpServers, writeMcpServer),
    remote_agents: mapByName<RemoteAgent>(options.remoteAgents, writeRemoteAgent),
    policy: writePolicy(options.policy),
    policies: mapByName<PolicyRules>(options.policies, writePolicyRules),
    data_policy: writeDataPolicy(options.dataPolicy),
  };
}

function writeBounds(options: WorkflowOptions<unknown, Names>): JsonObject {
  const { concurrency, rate, debounce, batch, fairness, continueAsNew, expose } = options;
  return {
    token_budget: writeTokenBudget(options.tokenBudget),
    cost_budget_usd: options.costBudgetUsd,
    on_budget_exceeded: options.onBudgetExceeded,
    continue_as_new:
      continueAsNew &&
      dropAbsent({
        after_events: continueAsNew.afterEvents,
        when: continueAsNew.when?.['~cel'],
      }),
    concurrency:
      concurrency &&
      dropAbsent({
        key: concurrency.key?.['~cel'],
        limit: concurrency.limit,
        when_full: concurrency.whenFull,
      }),
    rate:
      rate &&
      dropAbsent({
        key: rate.key?.['~cel'],
        limit: rate.limit,
        per: rate.per,
        burst: rate.burst,
      }),
    debounce:
      debounce &&
      dropAbsent({
        key: debounce.key?.['~cel'],
        wait: debounce.wait,
        max_wait: debounce.maxWait,
      }),
    batch: batch && dropAbsent({ key: batch.key?.['~cel'], max: batch.max, wait: batch.wait }),
    fairness:
      fairness &&
      dropAbsent({
        key: fairness.key['~cel'],
        weight: typeof fairness.weight === 'object' ? fairness.weight['~cel'] : fairness.weight,
      }),
    start_after: options.startAfter,
    start_deadline: options.startDeadline,
    expose:
      expose &&
      dropAbsent({
        a2a: expose.a2a,
        result: expose.result,
        input_modes: expose.inputModes,
        output_modes: expose.outputModes,
      }),
  };
}
