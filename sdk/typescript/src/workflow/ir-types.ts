/*
 * Generated from docs/workflow.schema.json:
 * UPDATE_DOCS=1 npm test -- test/sdk/workflow/ir-types.test.ts
 */

import type { JsonObject, JsonValue } from './json.ts';

/** A workflow definition. */
export type WorkflowIr = {
  /** The id of the workflow. */
  readonly workflow_id: string;
  /** Any label. Default "1.0.0". */
  readonly version?: string;
  /** Name for people. */
  readonly name?: string;
  /** Its purpose. */
  readonly description?: string;
  /** Kept for your own readers and programs. */
  readonly labels?: JsonValue;
  /** Labels of its executions: text, or a path or an expression over the input. Null gives no label. */
  readonly execution_labels?: Readonly<Record<string, MappingIr>>;
  /** Where it begins. Default: `start`, or the only node nothing leads to. */
  readonly start_node?: NodeIdIr;
  /** The input must satisfy it. Paths of the state are checked against it. */
  readonly state_schema?: SchemaOrReferenceIr;
  /** The nodes by their ids. "end" is no node. */
  readonly nodes?: Readonly<Record<string, NodeIr>>;
  /** The control edges. */
  readonly edges?: readonly EdgeIr[];
  /** Retry policies by name. */
  readonly retry_policies?: Readonly<Record<string, RetryPolicyIr>>;
  /** Time limits. */
  readonly timeouts?: TimeoutsIr;
  /** Language models by name. */
  readonly models?: Readonly<Record<string, ModelIr>>;
  /** Texts by name. */
  readonly prompts?: Readonly<Record<string, NamedPromptIr>>;
  /** Tools by name. */
  readonly tools?: Readonly<Record<string, ToolIr>>;
  /** MCP servers by name. */
  readonly mcp_servers?: Readonly<Record<string, McpServerIr>>;
  /** A2A agents by name. */
  readonly remote_agents?: Readonly<Record<string, RemoteAgentIr>>;
  /** The tools and models that may be used. */
  readonly policy?: PolicyIr;
  /** Rules by name, for policy nodes. */
  readonly policies?: Readonly<Record<string, PolicyRulesIr>>;
  /** Values to hide or omit. */
  readonly data_policy?: DataPolicyIr;
  /** Most tokens of an execution: input and output together, or apart. */
  readonly token_budget?:
    | number
    | {
        /** Most tokens of input. */
        readonly input_tokens?: number;
        /** Most tokens of output. */
        readonly output_tokens?: number;
        /** Most tokens of both together. */
        readonly total_tokens?: number;
      };
  /** Most US dollars of an execution. */
  readonly cost_budget_usd?: number;
  /** The consequence. Default `fail`. */
  readonly on_budget_exceeded?: 'fail' | 'pause' | 'warn';
  /** When a run ends for another to continue. */
  readonly continue_as_new?: ContinueAsNewIr;
  /** How many of its executions run at a time. */
  readonly concurrency?: ConcurrencyIr;
  /** How many of its executions begin in a time. */
  readonly rate?: StartRateIr;
  /** The last of several starts that come soon after each other begins. */
  readonly debounce?: DebounceIr;
  /** One execution begins for several starts, with all of their inputs. */
  readonly batch?: BatchIr;
  /** Whose items take turns when workers claim from a queue. */
  readonly fairness?: FairnessIr;
  /** How long an execution waits before it begins. A start may say otherwise. */
  readonly start_after?: DurationIr;
  /** An execution that has not begun by then fails. A start may say otherwise. */
  readonly start_deadline?: DurationIr;
  /** Protocols that can reach it besides the API. */
  readonly expose?: ExposeIr;
};

/** The kind pass with its fields. */
export type PassKindIr = {
  /** The kind. */
  readonly type: 'pass';
  /** The output. An object is merged into the state. */
  readonly output?: MappingIr;
};

/** The kind python_fn with its fields. */
export type PythonFnKindIr = {
  /** The kind. */
  readonly type: 'python_fn' | 'python_tool';
  /** The module. */
  readonly module?: string;
  /** The function that a worker calls. */
  readonly function?: string;
  /** The output must satisfy it. */
  readonly output_schema?: SchemaOrReferenceIr;
  /** The named queue that workers claim it from; the default queue without it. */
  readonly queue?: string;
  /** How many calls of this tool are under way at a time, in all executions of the tenant. */
  readonly concurrency?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** The most calls at a time. */
    readonly limit: number;
  };
  /** How many calls of this tool begin in a time, in all executions of the tenant. */
  readonly rate?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** Calls in each `per`. */
    readonly limit: number;
    /** From one second to one day. */
    readonly per: DurationIr;
    /** The most calls at once, after a rest. Default: `limit`. */
    readonly burst?: number;
  };
};

/** The kind java_fn with its fields. */
export type JavaFnKindIr = {
  /** The kind. */
  readonly type: 'java_fn' | 'java_tool';
  /** The class. */
  readonly class_name?: string;
  /** The method that a worker calls. */
  readonly method?: string;
  /** The same as `class_name`. */
  readonly module?: string;
  /** The same as `method`. */
  readonly function?: string;
  /** The output must satisfy it. */
  readonly output_schema?: SchemaOrReferenceIr;
  /** The named queue that workers claim it from; the default queue without it. */
  readonly queue?: string;
  /** How many calls of this tool are under way at a time, in all executions of the tenant. */
  readonly concurrency?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** The most calls at a time. */
    readonly limit: number;
  };
  /** How many calls of this tool begin in a time, in all executions of the tenant. */
  readonly rate?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** Calls in each `per`. */
    readonly limit: number;
    /** From one second to one day. */
    readonly per: DurationIr;
    /** The most calls at once, after a rest. Default: `limit`. */
    readonly burst?: number;
  };
};

/** The kind function with its fields. */
export type FunctionKindIr = {
  /** The kind. */
  readonly type: 'function';
  /** The durable function that a worker runs. */
  readonly name?: string;
  /** The output must satisfy it. */
  readonly output_schema?: SchemaOrReferenceIr;
  /** The named queue that workers claim it from; the default queue without it. */
  readonly queue?: string;
  /** Whether only workers of the build that began a visit get its later turns. Default false. */
  readonly pinned?: boolean;
  /** How many calls of this function are under way at a time, in all executions of the tenant. */
  readonly concurrency?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** The most calls at a time. */
    readonly limit: number;
  };
  /** How many calls of this function begin in a time, in all executions of the tenant. */
  readonly rate?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** Calls in each `per`. */
    readonly limit: number;
    /** From one second to one day. */
    readonly per: DurationIr;
    /** The most calls at once, after a rest. Default: `limit`. */
    readonly burst?: number;
  };
  /** Whether `node_timeout_secs` includes the time in which the function is suspended. Default true. */
  readonly count_suspended?: boolean;
};

/** The kind condition with its fields. */
export type ConditionKindIr = {
  /** The kind. */
  readonly type: 'condition' | 'branch';
  /** The first branch whose condition holds is taken. Without it the edges of the node say. */
  readonly branches?: readonly {
    /** Without one it is taken when no other is. */
    readonly condition?: ConditionIr;
    /** The node that it leads to. */
    readonly target: TargetIr;
  }[];
};

/** The kind parallel with its fields. */
export type ParallelKindIr = {
  /** The kind. */
  readonly type: 'parallel';
  /** The nodes that start. Without it the edges of the node say. */
  readonly branches?: readonly (
    | TargetIr
    | {
        /** The node that starts. */
        readonly target: TargetIr;
      }
  )[];
};

/** The kind map with its fields. */
export type MapKindIr = {
  /** The kind. */
  readonly type: 'map';
  /** The list: an expression, a path that starts with $, or a list. */
  readonly items?: ComputedIr;
  /** The node that runs for each item: its id, or the node itself. */
  readonly node?: NodeIdIr | NodeIr;
  /** Instead of `node`: a workflow that runs for each item. */
  readonly workflow_ref?: string;
  /** Version of `workflow_ref`. Default: the one registered last. */
  readonly workflow_version?: string;
  /** For `workflow_ref`: `output` is the last state of the child. */
  readonly output_mapping?: MappingIr;
  /** The item is `input.<item_key>`. Default `item`. */
  readonly item_key?: string;
  /** The most items that run at a time. Default 100. */
  readonly max_concurrency?: number;
  /** How to treat a failed item. Default `fail`. */
  readonly on_item_failure?: 'fail' | 'collect';
};

/** The kind join with its fields. */
export type JoinKindIr = {
  /** The kind. */
  readonly type: 'join';
  /** The nodes that it waits for. Default: all that lead here. */
  readonly wait_for?: readonly NodeIdIr[];
  /** How the outputs become one. Default `collect`. */
  readonly merge_strategy?:
    | 'collect'
    | 'first'
    | {
        /** The function. */
        readonly custom: {
          /** `module:function` of a Python worker. */
          readonly function_ref: string;
        };
      };
};

/** The kind wait with its fields. */
export type WaitKindIr = {
  /** The kind. */
  readonly type: 'wait';
  /** The condition of the wait. */
  readonly condition?: 'timer' | 'external_event' | 'either';
  /** The key of the event. Default: the id of the node. */
  readonly correlation_key?: MappingIr;
  /** A duration, an expression, or a path that starts with $. */
  readonly timeout_secs?: ComputedIr;
  /** An ISO 8601 instant, an expression, or a path that starts with $. */
  readonly until?: ComputedIr;
};

/** The kind human_approval with its fields. */
export type HumanApprovalKindIr = {
  /** The kind. */
  readonly type: 'human_approval';
  /** The question for the person. */
  readonly description?: string;
  /** Longest wait. Default: `approval_timeout` of the workflow. */
  readonly timeout_secs?: DurationIr;
};

/** The kind subgraph with its fields. */
export type SubgraphKindIr = {
  /** The kind. */
  readonly type: 'subgraph';
  /** The workflow that runs as a child. */
  readonly workflow_ref?: string;
  /** Its version. Default: the one registered last. */
  readonly workflow_version?: string;
  /** The output; in it `output` is the last state of the child. */
  readonly output_mapping?: MappingIr;
  /** How to treat a failed child. Default `fail`. */
  readonly on_child_failure?: 'fail' | 'complete';
};

/** The kind limit_exceeded with its fields. */
export type LimitExceededKindIr = {
  /** The kind. */
  readonly type: 'limit_exceeded';
};

/** The kind fail with its fields. */
export type FailKindIr = {
  /** The kind. */
  readonly type: 'fail';
  /** The error of the execution: text, or a mapping that gives text. */
  readonly message?: MappingIr;
  /** The error class, alike. Default `error`. */
  readonly class?: MappingIr;
};

/** The kind eval with its fields. */
export type EvalKindIr = {
  /** The kind. */
  readonly type: 'eval';
  /** The scorers that judge it. */
  readonly scorers?: readonly ScorerIr[];
  /** The consequence when it does not pass. Default `fail`. */
  readonly on_fail?:
    | 'fail'
    | 'warn'
    | 'retry'
    | {
        /** The node fails. */
        readonly fail?: JsonValue;
        /** The node completes. */
        readonly warn?: JsonValue;
        /** Back to a node. */
        readonly retry?:
          | NodeIdIr
          | {
              /** Default: the node before. */
              readonly target?: NodeIdIr;
            };
        /** Continues there, and nowhere else. */
        readonly branch?:
          | TargetIr
          | {
              /** The node. */
              readonly target: TargetIr;
            };
      };
  /** How often `retry` goes back. Default 3. */
  readonly max_retries?: number;
  /** The value to judge. Default: the output of the previous node. */
  readonly input_expr?: ExpressionIr;
};

/** The kind policy with its fields. */
export type PolicyKindIr = {
  /** The kind. */
  readonly type: 'policy';
  /** One of `policies`, by name. */
  readonly policy_ref?: string;
  /** The rules that must hold. */
  readonly rules?: readonly PolicyRuleIr[];
  /** The consequence of a violated rule. Default `fail`. */
  readonly on_violation?:
    | 'fail'
    | 'warn'
    | {
        /** Continues there, and nowhere else. */
        readonly branch:
          | TargetIr
          | {
              /** The node. */
              readonly target: TargetIr;
            };
      };
};

/** The kind finalizer with its fields. */
export type FinalizerKindIr = {
  /** The kind. */
  readonly type: 'finalizer';
  /** One of `tools`, by name. */
  readonly tool_ref?: string;
  /** The output must satisfy it. */
  readonly output_schema?: SchemaOrReferenceIr;
  /** At which ends of the execution it runs. Default `always`. */
  readonly run_on?: 'success' | 'failure' | 'always';
};

/** The kind tool with its fields. */
export type ToolKindIr = {
  /** The kind. */
  readonly type: 'tool';
  /** One of `tools`, by name. */
  readonly tool_ref?: string;
  /** The output must satisfy it. */
  readonly output_schema?: SchemaOrReferenceIr;
};

/** The kind mcp_tool with its fields. */
export type McpToolKindIr = {
  /** The kind. */
  readonly type: 'mcp_tool';
  /** One of `mcp_servers` by name, or one of the operator. */
  readonly server?: string;
  /** The tool. */
  readonly tool?: string;
  /** The output must satisfy it. */
  readonly output_schema?: SchemaOrReferenceIr;
  /** How many calls of this tool are under way at a time, in all executions of the tenant. */
  readonly concurrency?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** The most calls at a time. */
    readonly limit: number;
  };
  /** How many calls of this tool begin in a time, in all executions of the tenant. */
  readonly rate?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** Calls in each `per`. */
    readonly limit: number;
    /** From one second to one day. */
    readonly per: DurationIr;
    /** The most calls at once, after a rest. Default: `limit`. */
    readonly burst?: number;
  };
};

/** The kind model with its fields. */
export type ModelKindIr = {
  /** The kind. */
  readonly type: 'model';
  /** One of `models` by name, provider/model, or a model. */
  readonly model_ref?: string | ModelIr;
  /** A model, or its name beside `provider`. */
  readonly model?: string | ModelIr;
  /** The provider of `model`. */
  readonly provider?: string;
  /** Address for `model` beside `provider`. */
  readonly base_url?: string;
  /** The question to the model. */
  readonly prompt?: PromptIr;
  /** Instead of `prompt`: one of `prompts` by name, a path, or the text itself. */
  readonly prompt_ref?: TextOrPathIr;
  /** Instructions for the model. */
  readonly system_prompt?: PromptIr;
  /** The conversation before the prompt. */
  readonly messages?: MappingIr;
  /** Tools that the model may request. */
  readonly tools?: readonly (
    | string
    | {
        /** Up to 64 letters, digits, underscores and hyphens. */
        readonly name?: string;
        /** Description for the model. */
        readonly description?: string;
        /** Schema of its arguments, as in the APIs of OpenAI. */
        readonly parameters?: JsonSchemaIr;
        /** Schema of its arguments. */
        readonly input_schema?: JsonSchemaIr;
        /** For tools as in the APIs of OpenAI. */
        readonly type?: 'function';
        /** For tools as in the APIs of OpenAI; without effect. */
        readonly strict?: JsonValue;
        /** The tool, as in Chat Completions. */
        readonly function?: {
          /** Up to 64 letters, digits, underscores and hyphens. */
          readonly name?: string;
          /** Description for the model. */
          readonly description?: string;
          /** Schema of its arguments, as in the APIs of OpenAI. */
          readonly parameters?: JsonSchemaIr;
          /** Without effect. */
          readonly strict?: JsonValue;
        };
      }
  )[];
  /** The answer must satisfy it. */
  readonly output_schema?: SchemaOrReferenceIr;
  /** How free the answer is. Default: that of the model. */
  readonly temperature?: number;
  /** Most tokens of the answer. */
  readonly max_tokens?: number;
  /** Whether the text is recorded as it comes. */
  readonly stream?: boolean;
  /** How many calls of this model are under way at a time, in all executions of the tenant. */
  readonly concurrency?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** The most calls at a time. */
    readonly limit: number;
  };
  /** How many calls of this model begin in a time, in all executions of the tenant. */
  readonly rate?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** Calls in each `per`. */
    readonly limit: number;
    /** From one second to one day. */
    readonly per: DurationIr;
    /** The most calls at once, after a rest. Default: `limit`. */
    readonly burst?: number;
  };
};

/** The kind a2a_task with its fields. */
export type A2aTaskKindIr = {
  /** The kind. */
  readonly type: 'a2a_task';
  /** One of `remote_agents`, by name. */
  readonly remote_agent?: string;
  /** A skill of the agent, by id or name. */
  readonly skill?: string;
  /** Whether the agent streams changes, if it can. */
  readonly stream?: boolean;
  /** How to treat a question of the agent. Default `park`. */
  readonly on_input_required?: 'park' | 'fail';
};

/** The kind agent with its fields. */
export type AgentKindIr = {
  /** The kind. */
  readonly type: 'agent' | 'agent_tool';
  /** The id of an agent, or a path that gives one. */
  readonly agent_ref?: TextOrPathIr;
  /** "auto", an id or a path, or {explicit: URL}. */
  readonly agent?:
    | TextOrPathIr
    | {
        /** The address. */
        readonly explicit?: string;
        /** Any value: the agent is picked. */
        readonly auto?: JsonValue;
      };
  /** The skill that is meant. */
  readonly skill?: string;
  /** An agent without one of them is no candidate. */
  readonly required_skills?: string | readonly string[];
  /** The more of them an agent has, the better. */
  readonly preferred_skills?: string | readonly string[];
  /** The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
  readonly weights?: {
    /** Weight of skills. */
    readonly skills?: number;
    /** Weight of trust. */
    readonly trust?: number;
    /** Weight of cost. */
    readonly cost?: number;
    /** Weight of latency. */
    readonly latency?: number;
  };
  /** Tiebreaker between equals. Default `agent_id`. */
  readonly tiebreaker?: 'model' | 'agent_id';
  /** One of `models` by name, provider/model, or a model. */
  readonly model_ref?: string | ModelIr;
  /** US dollars that a call may cost. */
  readonly budget?:
    | number
    | {
        /** US dollars. */
        readonly max_cost_usd?: number;
      };
  /** Longest time in milliseconds. */
  readonly timeout_ms?: number;
  /** Whether the agent streams changes, if it can. */
  readonly stream?: boolean;
  /** How to treat a question of the agent. Default `park`. */
  readonly on_input_required?: 'park' | 'fail';
};

/** The kind agent_discovery with its fields. */
export type AgentDiscoveryKindIr = {
  /** The kind. */
  readonly type: 'agent_discovery';
  /** The skill that is meant. */
  readonly skill?: string;
  /** An agent without one of them is no candidate. */
  readonly required_skills?: string | readonly string[];
  /** The more of them an agent has, the better. */
  readonly preferred_skills?: string | readonly string[];
  /** The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
  readonly weights?: {
    /** Weight of skills. */
    readonly skills?: number;
    /** Weight of trust. */
    readonly trust?: number;
    /** Weight of cost. */
    readonly cost?: number;
    /** Weight of latency. */
    readonly latency?: number;
  };
  /** Tiebreaker between equals. Default `agent_id`. */
  readonly tiebreaker?: 'model' | 'agent_id';
  /** One of `models` by name, provider/model, or a model. */
  readonly model_ref?: string | ModelIr;
  /** US dollars that a call may cost. */
  readonly budget?:
    | number
    | {
        /** US dollars. */
        readonly max_cost_usd?: number;
      };
  /** Another state key for the output. */
  readonly output_binding?: string;
};

/** The kind coordinator with its fields. */
export type CoordinatorKindIr = {
  /** The kind. */
  readonly type: 'coordinator';
  /** The skill that is meant. */
  readonly skill?: string;
  /** An agent without one of them is no candidate. */
  readonly required_skills?: string | readonly string[];
  /** The more of them an agent has, the better. */
  readonly preferred_skills?: string | readonly string[];
  /** The weight of each part of the score. Defaults 0.4, 0.3, 0.15 and 0.15. */
  readonly weights?: {
    /** Weight of skills. */
    readonly skills?: number;
    /** Weight of trust. */
    readonly trust?: number;
    /** Weight of cost. */
    readonly cost?: number;
    /** Weight of latency. */
    readonly latency?: number;
  };
  /** Tiebreaker between equals. Default `agent_id`. */
  readonly tiebreaker?: 'model' | 'agent_id';
  /** One of `models` by name, provider/model, or a model. */
  readonly model_ref?: string | ModelIr;
  /** US dollars that a call may cost. */
  readonly budget?:
    | number
    | {
        /** US dollars. */
        readonly max_cost_usd?: number;
      };
  /** Another state key for the output. */
  readonly output_binding?: string;
};

/** The kind memory_retrieval with its fields. */
export type MemoryRetrievalKindIr = {
  /** The kind. */
  readonly type: 'memory_retrieval';
  /** There is one memory. */
  readonly connector_ref?: 'memory' | 'default';
  /** An expression, or a path that starts with $. */
  readonly query_expr?: ComputedIr;
  /** The same as `query_expr`. */
  readonly query?: ComputedIr;
  /** Most facts. */
  readonly k?: number;
  /** Whose facts. */
  readonly agent_id?: MappingIr;
  /** Whose facts. */
  readonly end_user_id?: MappingIr;
};

/** A way from one node to another. `source` and `target` say the same as `from` and `to`. */
export type EdgeIr = {
  /** The node that it leaves. */
  readonly from?: NodeIdIr;
  /** The same as `from`. */
  readonly source?: NodeIdIr;
  /** The node that it leads to. */
  readonly to?: TargetIr;
  /** The same as `to`. */
  readonly target?: TargetIr;
  /** When the edge is taken. Without one: when no other edge is. */
  readonly condition?: ConditionIr;
  /** Whether the edge is for the success or the failure of the node. */
  readonly on?: 'success' | 'failure';
  /** For readers. */
  readonly description?: JsonValue;
  /** For your own readers and programs. */
  readonly labels?: JsonValue;
};

/** How often a node is tried, and when. */
export type RetryPolicyIr = {
  /** All attempts, the first included. Default 3. */
  readonly max_attempts?: number;
  /** How the delays grow. Default `exponential`. */
  readonly backoff?: 'fixed' | 'linear' | 'exponential';
  /** Before the second attempt. Default 1 s. */
  readonly initial_delay?: DurationIr;
  /** The same as `initial_delay`. */
  readonly initial_delay_secs?: DurationIr;
  /** Longest delay. Default 60 s. */
  readonly max_delay?: DurationIr;
  /** The same as `max_delay`. */
  readonly max_delay_secs?: DurationIr;
  /** Whether delays are spread. Default true. */
  readonly jitter?: boolean;
  /** Only these error classes are tried again. */
  readonly retryable_on?: readonly string[];
  /** These error classes are never tried again. */
  readonly non_retryable_on?: readonly string[];
  /** For readers. */
  readonly description?: JsonValue;
  /** For your own readers and programs. */
  readonly labels?: JsonValue;
};

/** Time limits of the workflow. */
export type TimeoutsIr = {
  /** Longest time of one attempt of a node. Default 300 s. */
  readonly node_timeout?: DurationIr;
  /** The same as `node_timeout`. */
  readonly node_timeout_secs?: DurationIr;
  /** Longest time of an execution. */
  readonly workflow_timeout?: DurationIr;
  /** The same as `workflow_timeout`. */
  readonly workflow_timeout_secs?: DurationIr;
  /** How often workers say that they live, at most 10 s. */
  readonly heartbeat_interval?: DurationIr;
  /** The same as `heartbeat_interval`. */
  readonly heartbeat_interval_secs?: DurationIr;
  /** Longest wait for the decision of a person. */
  readonly approval_timeout?: DurationIr;
  /** The same as `approval_timeout`. */
  readonly approval_timeout_secs?: DurationIr;
  /** Longest wait of work for a worker. */
  readonly schedule_to_start?: DurationIr;
  /** The same as `schedule_to_start`. */
  readonly schedule_to_start_secs?: DurationIr;
};

/** When a run ends for another to continue with its state. */
export type ContinueAsNewIr = {
  /** From this number of events. */
  readonly after_events?: number;
  /** When this holds. */
  readonly when?: ExpressionIr;
};

/** A start waits whether another of its key comes, which then displaces it. */
export type DebounceIr = {
  /** Starts with the same value displace each other. Default: all of the workflow. */
  readonly key?: ExpressionIr;
  /** How long a start waits for another. */
  readonly wait: DurationIr;
  /** From the first start that was displaced: one begins then in any case. Default: no limit. */
  readonly max_wait?: DurationIr;
};

/** Starts of a key gather. One execution then begins with the input `{"items": […]}`: their inputs in order. */
export type BatchIr = {
  /** Starts with the same value gather in one batch. Default: all of the workflow. */
  readonly key?: ExpressionIr;
  /** The batch closes with so many starts. */
  readonly max: number;
  /** The batch closes this long after its first start. */
  readonly wait: DurationIr;
};

/** How many executions begin in a time. The others wait in the order of their starts. */
export type StartRateIr = {
  /** Executions with the same value share the rate. Default: all of the workflow. */
  readonly key?: ExpressionIr;
  /** Executions in each `per`. */
  readonly limit: number;
  /** From one second to one day. */
  readonly per: DurationIr;
  /** The most that begin at once, after a rest. Default: `limit`. */
  readonly burst?: number;
};

/** How many executions run at a time. */
export type ConcurrencyIr = {
  /** Executions with the same value share the limit. Default: all of the workflow. */
  readonly key?: ExpressionIr;
  /** Most executions of a key at a time. */
  readonly limit: number;
  /** The effect on a start when the limit is reached. Default `queue`. */
  readonly when_full?: 'queue' | 'refuse' | 'cancel_oldest';
};

/** Keys take turns when workers claim from a queue, so no key waits for all items of another. */
export type FairnessIr = {
  /** Items of executions with the same value share the turns of the key. */
  readonly key: ExpressionIr;
  /** How many items a key gets while another of weight 1 gets one. Default 1. */
  readonly weight?: number | ExpressionIr;
};

/** Protocols that can reach the workflow besides the API. */
export type ExposeIr = {
  /** Whether it is an agent of the Agent2Agent protocol. */
  readonly a2a?: boolean;
  /** Path of the result in the final state, such as $.reply. Default: the whole state. */
  readonly result?: string;
  /** Media types of the files that the agent takes. */
  readonly input_modes?: readonly string[];
  /** Media types of the results that the agent gives. */
  readonly output_modes?: readonly string[];
};

/** A language model. */
export type ModelIr = {
  /** openai, anthropic, google, ollama, or one that the operator configures. */
  readonly provider: string;
  /** The name of the model at its provider. */
  readonly model: string;
  /** Address of the model, instead of that of the provider. */
  readonly base_url?: string;
  /** How free the answer is. */
  readonly temperature?: number;
  /** Most tokens of an answer. */
  readonly max_tokens?: number;
  /** Longest time of a call. Default 300 s. */
  readonly timeout_secs?: DurationIr;
  /** For nodes that have no retry policy of their own. */
  readonly retry_policy?: string | RetryPolicyIr;
  /** How many calls of this model are under way at a time, in all executions of the tenant. */
  readonly concurrency?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** The most calls at a time. */
    readonly limit: number;
  };
  /** How many calls of this model begin in a time, in all executions of the tenant. */
  readonly rate?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** Calls in each `per`. */
    readonly limit: number;
    /** From one second to one day. */
    readonly per: DurationIr;
    /** The most calls at once, after a rest. Default: `limit`. */
    readonly burst?: number;
  };
  /** For readers. */
  readonly description?: JsonValue;
  /** For your own readers and programs. */
  readonly labels?: JsonValue;
};

/** Text, or {text}. */
export type NamedPromptIr =
  | PromptTextIr
  | {
      /** The text. */
      readonly text?: PromptTextIr;
      /** For readers. */
      readonly description?: JsonValue;
      /** For your own readers and programs. */
      readonly labels?: JsonValue;
    };

/** A tool that tool nodes and models can call. */
export type ToolIr = {
  /** Kind of the reference. */
  readonly kind?: 'http' | 'python' | 'mcp';
  /** The same as `kind`. */
  readonly type?: 'http' | 'python' | 'mcp';
  /** A URL, `module:function` for python, `server/tool` for mcp. */
  readonly reference?: HttpUrlIr;
  /** The same as `reference`. */
  readonly url?: HttpUrlIr;
  /** Description for models. */
  readonly description?: string;
  /** Checked before the call; not for python. */
  readonly input_schema?: JsonSchemaIr;
  /** Checked after the call. */
  readonly output_schema?: JsonSchemaIr;
  /** For `http`. Default GET, with a body POST. */
  readonly method?: string;
  /** For `http`: texts by the name of the header. */
  readonly headers?: Readonly<Record<string, HttpHeaderIr>>;
  /** For `http`. Default: the input as JSON where the method has a body. */
  readonly body?: HttpBodyIr;
  /** For `http`: how to transform the answer. It sees `output` as {status, headers, body}. */
  readonly response_mapping?: MappingIr;
  /** The same as `response_mapping`. */
  readonly output_mapping?: MappingIr;
  /** Longest time of a call over HTTP. Default 30 s, at most an hour. */
  readonly timeout_secs?: DurationIr;
  /** Largest answer. Default 1 MiB. */
  readonly response_bytes_max?: number;
  /** How many calls of this tool are under way at a time, in all executions of the tenant. */
  readonly concurrency?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** The most calls at a time. */
    readonly limit: number;
  };
  /** How many calls of this tool begin in a time, in all executions of the tenant. */
  readonly rate?: {
    /** An expression over `input`, the input of the call. Default: one key. */
    readonly key?: string;
    /** Calls in each `per`. */
    readonly limit: number;
    /** From one second to one day. */
    readonly per: DurationIr;
    /** The most calls at once, after a rest. Default: `limit`. */
    readonly burst?: number;
  };
  /** Kept, and without effect. */
  readonly permissions?: JsonValue;
  /** For your own readers and programs. */
  readonly labels?: JsonValue;
};

/** A server of the Model Context Protocol. */
export type McpServerIr = {
  /** Default `streamable_http`. */
  readonly transport?: 'streamable_http' | 'http_sse' | 'stdio';
  /** The address of the server. */
  readonly url?: string;
  /** For `stdio`: a program that the operator allows. */
  readonly command?: string;
  /** Arguments of the command. */
  readonly args?: readonly string[];
  /** How to log in. */
  readonly auth?: AuthIr;
  /** For readers. */
  readonly description?: JsonValue;
  /** For your own readers and programs. */
  readonly labels?: JsonValue;
};

/** An agent of the Agent2Agent protocol. */
export type RemoteAgentIr = {
  /** The address of the agent. */
  readonly url: string;
  /** Where its card is. Default `/.well-known/agent-card.json`. */
  readonly agent_card_path?: string;
  /** How to log in. */
  readonly auth?: AuthIr;
  /** For readers. */
  readonly description?: JsonValue;
  /** For your own readers and programs. */
  readonly labels?: JsonValue;
};

/** How to log in: names of secrets, never secrets. */
export type AuthIr = {
  /** `none` is the same as leaving `auth` out. */
  readonly type: 'none' | 'bearer' | 'api_key' | 'oauth2';
  /** For `bearer`: the variable that holds the token. */
  readonly token_env?: string;
  /** For `api_key`: the header that carries the key. */
  readonly header?: string;
  /** For `api_key`: the variable that holds the key. */
  readonly key_env?: string;
  /** For `oauth2`: the variable that holds the id of the client. */
  readonly client_id_env?: string;
  /** For `oauth2`: the variable that holds the secret. */
  readonly client_secret_env?: string;
  /** For `oauth2`: where tokens are given. */
  readonly token_url?: string;
};

/** The tools and models that may be used. A node counts before its workflow. */
export type PolicyIr = {
  /** These tools are never called. */
  readonly blocked_tools?: GlobsIr;
  /** A person must approve calls of these tools. */
  readonly require_approval_for?: GlobsIr;
  /** Only these models are called. */
  readonly model_allowlist?: GlobsIr;
};

/** A condition that must hold at a policy node. */
export type PolicyRuleIr = {
  /** Shown in the event of a violation. */
  readonly name?: string;
  /** An expression that must be true. */
  readonly condition: ExpressionIr;
  /** The message of a violation. */
  readonly message?: string;
};

/** Rules that policy nodes name. */
export type PolicyRulesIr = {
  /** All of them must hold. */
  readonly rules: readonly PolicyRuleIr[];
  /** For readers. */
  readonly description?: JsonValue;
  /** For your own readers and programs. */
  readonly labels?: JsonValue;
};

/** Values that the API hides or omits in answers and records. */
export type DataPolicyIr = {
  /** Names or paths of fields, such as "customer.email". */
  readonly pii_fields?: readonly string[];
  /** Kinds of values to detect in text. */
  readonly detectors?: readonly (
    'email' | 'phone' | 'credit_card' | 'ssn' | 'iban' | 'ip_address'
  )[];
  /** The same as `detectors`. */
  readonly pii_detectors?: readonly (
    'email' | 'phone' | 'credit_card' | 'ssn' | 'iban' | 'ip_address'
  )[];
  /** How to treat a match. */
  readonly action?: 'mask' | 'hash' | 'remove';
  /** The same as `action`. */
  readonly redaction_mode?: 'mask' | 'hash' | 'remove';
  /** Whether prompts may be recorded. */
  readonly retain_prompts?: boolean;
  /** Whether outputs may be recorded. */
  readonly retain_outputs?: boolean;
};

/** An expression over `output` and `state`, or one with a name and a weight. */
export type CheckIr =
  | ExpressionIr
  | {
      /** An expression that must be true. */
      readonly check?: ExpressionIr;
      /** Its name in results. */
      readonly name?: string;
      /** Its share of the score. Default 1. */
      readonly weight?: number;
    };

/** A scorer that gives an output a score from 0 to 1. */
export type ScorerIr = {
  /** The kind of the scorer. */
  readonly type: 'assertion' | 'latency' | 'cost' | 'llm_judge';
  /** Its name in results. */
  readonly name?: string;
  /** Its share of the score. Default 1. */
  readonly weight?: number;
  /** The score that passes. */
  readonly threshold?: number;
  /** For `assertion`: what must hold. */
  readonly checks?: readonly CheckIr[];
  /** For `assertion`: one check. */
  readonly check?: CheckIr;
  /** For `latency`: milliseconds. */
  readonly max_ms?: number;
  /** For `latency`, instead of `max_ms`. */
  readonly max_secs?: DurationIr;
  /** For `cost`: US dollars. */
  readonly max_usd?: number;
  /** For `cost`: tokens. For a judge in place: the most tokens of its answer. */
  readonly max_tokens?: number;
  /** For `llm_judge`: what makes an output good. */
  readonly rubric?: string;
  /** The same as `rubric`. */
  readonly prompt?: string;
  /** One of `models` by name, provider/model, or a model. */
  readonly model_ref?: string | ModelIr;
  /** A model, or its name beside `provider`. */
  readonly model?: string | ModelIr;
  /** The provider of `model`. */
  readonly provider?: string;
  /** For a model in place. */
  readonly base_url?: string;
  /** For a model in place. */
  readonly temperature?: number;
  /** For a model in place. */
  readonly timeout_secs?: DurationIr;
  /** For a model in place. */
  readonly retry_policy?: string | RetryPolicyIr;
};

/** A CEL expression over `state`, `output` (of the node just done), `input` and `execution`. As a condition every value is true but null, false, 0, "", [] and {}. */
export type ExpressionIr = string;

/** A CEL expression; true or "" is no condition. */
export type ConditionIr = ExpressionIr | boolean;

/** The source of a value: a path such as "$.order.id", {"expr": "…"}, {"literal": …}, or lists and objects of these. Anything else stands for itself. */
export type MappingIr = JsonValue;

/** Text is a CEL expression, or a path when it starts with $; the rest is a mapping. */
export type ComputedIr = JsonValue;

/** Text, or a path such as "$.order.id". */
export type TextOrPathIr = string;

/** Text with {{ expression }} in it, a path that starts with $, or another mapping. */
export type PromptIr = JsonValue;

/** Text with {{ expression }} in it. */
export type PromptTextIr = string;

/** The URL. {order.id} is a path below the input, {state.region} one of the state, {{ expression }} an expression, ${secret:NAME} a secret. */
export type HttpUrlIr = string;

/** Text with {{ expression }} and ${secret:NAME} in it, or a path. */
export type HttpHeaderIr = string | number | boolean;

/** An object is sent as JSON: its strings may be paths or templates. Text is sent as text. */
export type HttpBodyIr = JsonValue;

/** The id of a node. */
export type NodeIdIr = string;

/** The id of a node, or "end", which ends the path. */
export type TargetIr = string;

/** A JSON Schema. */
export type JsonSchemaIr = JsonObject;

/** A JSON Schema. Text is kept as a reference and not checked. */
export type SchemaOrReferenceIr = JsonSchemaIr | string;

/** Seconds as a number, or text such as "500ms", "2s", "5m", "1h", "7d". */
export type DurationIr = number | string;

/** Names in which * stands for any characters and ? for one. */
export type GlobsIr = readonly string[];

/** A node, in the long form that the builder writes. */
export type NodeIr = {
  readonly kind:
    | PassKindIr
    | PythonFnKindIr
    | JavaFnKindIr
    | FunctionKindIr
    | ConditionKindIr
    | ParallelKindIr
    | MapKindIr
    | JoinKindIr
    | WaitKindIr
    | HumanApprovalKindIr
    | SubgraphKindIr
    | LimitExceededKindIr
    | FailKindIr
    | EvalKindIr
    | PolicyKindIr
    | FinalizerKindIr
    | ToolKindIr
    | McpToolKindIr
    | ModelKindIr
    | A2aTaskKindIr
    | AgentKindIr
    | AgentDiscoveryKindIr
    | CoordinatorKindIr
    | MemoryRetrievalKindIr;
} & {
  /** Must equal the key of the node. */
  readonly id?: string;
  /** Purpose of the node. */
  readonly description?: JsonValue;
  /** Kept for your own readers and programs. */
  readonly labels?: JsonValue;
  /** The input of the node. Default: the whole state. */
  readonly input_mapping?: MappingIr;
  /** The state key that the output is put under. */
  readonly output_key?: string;
  /** How often the node is tried. Default: 3 attempts. */
  readonly retry_policy?: string | RetryPolicyIr;
  /** Longest time of one attempt. */
  readonly node_timeout_secs?: DurationIr;
  /** Where to continue when the node fails permanently. */
  readonly fallback_node?: TargetIr;
  /** The node that undoes this one if the execution ends: its id, or the node itself. */
  readonly undo?: NodeIdIr | NodeIr;
  /** The ends at which it is undone. Default: both. */
  readonly undo_on?: readonly ('failed' | 'cancelled')[];
  /** The tools and models that this node may use. */
  readonly policy?: PolicyIr;
  /** Values to hide or omit in events of this node. */
  readonly data_policy?: DataPolicyIr;
};
