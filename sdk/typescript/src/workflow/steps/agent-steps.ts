import { refuseUnknown, type Known } from '../../known-options.ts';
import type { Expression } from '../expression.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';
import { writeOptionalMapping } from '../mapping.ts';
import { writeModelChoice, type ModelChoice } from '../parts/models.ts';
import type { AnyShape, Shape } from '../shape.ts';
import {
  createStep,
  type AnyInput,
  type Gives,
  type Own,
  type Step,
  type StepOptions,
} from './step.ts';
import { writeComputed } from './waiting-steps.ts';

/** The output of an agent over A2A. */
export interface AgentOutput {
  readonly task_id: string | null;
  readonly context_id: string | null;
  readonly text: string;
  readonly data: JsonValue;
  readonly artifacts: readonly {
    readonly artifact_id: string;
    readonly name: string | null;
    readonly parts: readonly JsonValue[];
  }[];
}

/** Text, data, or both, as an agent takes them; any other input is sent as data. */
interface Task<S extends Shape, Key extends string, Fallback extends string>
  extends StepOptions<S, Key, Fallback>, AnyInput {
  /** By id or name. */
  readonly skill?: string;
  /** Whether svc receives changes from the agent, in addition to polling. */
  readonly stream?: boolean;
  /** `park` (default): a question of the agent waits for an answer. `fail`: it fails the step. */
  readonly onInputRequired?: 'park' | 'fail';
}

interface A2aTaskOptions<S extends Shape, Key extends string, Fallback extends string> extends Task<
  S,
  Key,
  Fallback
> {
  readonly remoteAgent: S['names']['remoteAgents'];
}

/** Which agents qualify, and which of them is best. */
interface Wish<S extends Shape> {
  /** An agent without one of them is no candidate. */
  readonly requiredSkills?: readonly string[];
  /** The more of them an agent has, the higher its score. */
  readonly preferredSkills?: readonly string[];
  /** Default 0.4, 0.3, 0.15 and 0.15. */
  readonly weights?: {
    readonly skills?: number;
    readonly trust?: number;
    readonly cost?: number;
    readonly latency?: number;
  };
  /** US dollars that a call may cost. */
  readonly budget?: Budget | undefined;
  /** Decides ties. Default `agent_id`. */
  readonly tiebreaker?: 'model' | 'agent_id';
  /** The model that decides ties. */
  readonly model?: ModelChoice<S['names']['models']>;
}

/** US dollars that a call may cost. */
type Budget = number | { readonly maxCostUsd: number };

type AgentChoice<S extends Shape> =
  | {
      /** The agent's id. */
      readonly agentRef: string | Expression<string>;
      readonly agent?: never;
      readonly budget?: Budget;
    }
  | ({
      /** `auto`: svc picks one. Else the active agent with this address. */
      readonly agent: 'auto' | { readonly explicit: string };
      readonly agentRef?: never;
    } & Wish<S>);

interface CandidatesOptions<S extends Shape, Key extends string, Fallback extends string>
  extends StepOptions<S, Key, Fallback>, Wish<S>, AnyInput {
  /** One more required skill. */
  readonly skill?: string;
}

/** An agent with its score and the parts of it. */
export interface Candidate {
  readonly agent_id: string;
  readonly name: string;
  readonly uri: string;
  readonly score: number;
  readonly parts: Readonly<Record<'skills' | 'trust' | 'cost' | 'latency', number>>;
}

/** A fact of the memory. */
export interface Fact {
  readonly id: string;
  readonly content: string;
  readonly agent_id: string | null;
  readonly end_user_id: string | null;
  readonly similarity: number;
  readonly created_at: string;
  readonly metadata: JsonValue;
}

interface MemoryOptions<
  S extends Shape,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  readonly query: Expression<string>;
  /** Most facts, 1 to 100. Default 10. */
  readonly k?: number;
  /** Also recall facts of this agent. */
  readonly agentId?: string | Expression<string>;
  /** Also recall facts of this user. */
  readonly endUserId?: string | Expression<string>;
  /** Default `memory`; no others exist. */
  readonly connectorRef?: 'memory' | 'default';
}

/** A second state key for the output. */
interface Bound<Binding extends string> {
  readonly outputBinding?: Binding;
}

/** Steps that work with agents and the memory. */
export interface AgentSteps<S extends Shape> {
  /** Gives a task to one of `remoteAgents`. */
  readonly a2aTask: <Key extends string = never, Fallback extends string = never>(
    options: A2aTaskOptions<S, Key, Fallback>,
  ) => Step<Gives<AgentOutput, Key, Fallback>>;

  /** Gives work to a registered agent, over the protocol of its card; the output is as the protocol has it. */
  readonly agent: <Key extends string = never, Fallback extends string = never>(
    options: Task<S, Key, Fallback> &
      AgentChoice<S> & {
        /** Longest time in milliseconds. */
        readonly timeoutMs?: number;
      },
  ) => Step<Gives<unknown, Key, Fallback>>;

  /** Lists the active agents that qualify, the best first. */
  readonly agentDiscovery: <
    Key extends string = never,
    Binding extends string = never,
    Fallback extends string = never,
  >(
    options: CandidatesOptions<S, Key, Fallback> & Bound<Binding>,
  ) => Step<
    Gives<
      { readonly agents: readonly Candidate[]; readonly count: number },
      Key | Binding,
      Fallback
    >
  >;

  /** Picks one agent, and does not call it. */
  readonly coordinator: <
    Key extends string = never,
    Binding extends string = never,
    Fallback extends string = never,
  >(
    options: CandidatesOptions<S, Key, Fallback> & Bound<Binding>,
  ) => Step<
    Gives<
      {
        readonly agent_id: string;
        readonly name: string;
        readonly uri: string;
        readonly by: 'score' | 'model' | 'agent_id';
        readonly candidates: readonly Omit<Candidate, 'uri'>[];
      },
      Key | Binding,
      Fallback
    >
  >;

  /** Recalls facts from the memory of the tenant, the nearest first. */
  readonly memoryRetrieval: <Key extends string = never, Fallback extends string = never>(
    options: MemoryOptions<S, Key, Fallback>,
  ) => Step<Gives<{ readonly facts: readonly Fact[] }, Key, Fallback>>;
}

const TASK: Own<Task<AnyShape, string, string>> = {
  skill: true,
  stream: true,
  onInputRequired: true,
};
const WISH: Own<Wish<AnyShape>> = {
  requiredSkills: true,
  preferredSkills: true,
  weights: true,
  budget: true,
  tiebreaker: true,
  model: true,
};
const AGENT = { ...TASK, ...WISH, agentRef: true, agent: true, timeoutMs: true } as const;
const CANDIDATES: Own<CandidatesOptions<AnyShape, string, string> & Bound<string>> = {
  ...WISH,
  skill: true,
  outputBinding: true,
};
const MEMORY: Own<MemoryOptions<AnyShape, string, string>> = {
  query: true,
  k: true,
  agentId: true,
  endUserId: true,
  connectorRef: true,
};
const WEIGHTS: Known<NonNullable<Wish<AnyShape>['weights']>> = {
  skills: true,
  trust: true,
  cost: true,
  latency: true,
};

export const agentSteps: AgentSteps<AnyShape> = {
  a2aTask({ remoteAgent, ...options }) {
    const kind = { type: 'a2a_task', remote_agent: remoteAgent, ...writeTask(options) };
    return createStep(kind, options, { own: { ...TASK, remoteAgent: true } });
  },

  agent({ agentRef, agent, timeoutMs, ...options }) {
    const kind = {
      type: 'agent',
      agent_ref: typeof agentRef === 'object' ? agentRef['~mapping'] : agentRef,
      agent,
      ...writeTask(options),
      ...writeWish(options),
      timeout_ms: timeoutMs,
    };
    return createStep(kind, options, { own: AGENT });
  },

  agentDiscovery: (options) =>
    createStep(writeCandidates('agent_discovery', options), options, { own: CANDIDATES }),

  coordinator: (options) =>
    createStep(writeCandidates('coordinator', options), options, { own: CANDIDATES }),

  memoryRetrieval({ query, k, agentId, endUserId, connectorRef, ...options }) {
    const kind = {
      type: 'memory_retrieval',
      connector_ref: connectorRef,
      query_expr: writeComputed(query),
      k,
      agent_id: writeOptionalMapping(agentId),
      end_user_id: writeOptionalMapping(endUserId),
    };
    return createStep(kind, options, { own: MEMORY });
  },
};

function writeTask(options: Task<AnyShape, string, string>): JsonObject {
  const { skill, stream, onInputRequired } = options;
  return { skill, stream, on_input_required: onInputRequired };
}

function writeCandidates(
  type: string,
  options: CandidatesOptions<AnyShape, string, string> & Bound<string>,
): JsonObject & { readonly type: string } {
  const { skill, outputBinding } = options;
  return { type, skill, ...writeWish(options), output_binding: outputBinding };
}

function writeWish(wish: Wish<AnyShape>): JsonObject {
  const { weights, budget } = wish;
  refuseUnknown(weights ?? {}, WEIGHTS, 'weights');
  return {
    required_skills: wish.requiredSkills,
    preferred_skills: wish.preferredSkills,
    weights:
      weights &&
      dropAbsent({
        skills: weights.skills,
        trust: weights.trust,
        cost: weights.cost,
        latency: weights.latency,
      }),
    budget: typeof budget === 'object' ? { max_cost_usd: budget.maxCostUsd } : budget,
    tiebreaker: wish.tiebreaker,
    model_ref: writeModelChoice(wish.model),
  };
}
