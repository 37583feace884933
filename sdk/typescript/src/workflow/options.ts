import { refuseUnknown, type Known } from '../known-options.ts';
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
import {
  writeStartRules,
  type Batch,
  type Concurrency,
  type Debounce,
  type Fairness,
  type StartRate,
} from './parts/start-rules.ts';
import type { Tool } from './parts/tools.ts';
import { readSchema, type Schema } from './schema.ts';
import type { Names } from './shape.ts';

export type { Batch, Concurrency, Debounce, Fairness, StartRate };

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
  refuseUnknown(options, KNOWN, `the workflow ${id}`);
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

const KNOWN: Known<WorkflowOptions<unknown, Names>> = {
  version: true,
  name: true,
  description: true,
  labels: true,
  executionLabels: true,
  state: true,
  retryPolicies: true,
  timeouts: true,
  models: true,
  prompts: true,
  tools: true,
  mcpServers: true,
  remoteAgents: true,
  policy: true,
  policies: true,
  dataPolicy: true,
  tokenBudget: true,
  costBudgetUsd: true,
  onBudgetExceeded: true,
  continueAsNew: true,
  concurrency: true,
  rate: true,
  debounce: true,
  batch: true,
  fairness: true,
  startAfter: true,
  startDeadline: true,
  expose: true,
};

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

const CONTINUE: Known<ContinueAsNew> = { afterEvents: true, when: true };
const EXPOSE: Known<Expose> = { a2a: true, result: true, inputModes: true, outputModes: true };

function writeBounds(options: WorkflowOptions<unknown, Names>): JsonObject {
  const { continueAsNew, expose } = options;
  if (continueAsNew !== undefined) refuseUnknown(continueAsNew, CONTINUE, 'continueAsNew');
  if (expose !== undefined) refuseUnknown(expose, EXPOSE, 'expose');
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
    ...writeStartRules(options),
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
