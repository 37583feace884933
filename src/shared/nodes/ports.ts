import type { AgentDeps } from './agent/run.ts';
import type { EvalRunnerDeps } from './eval/run.ts';
import type { MemoryRetrievalDeps } from './memory-retrieval/run.ts';
import type { ModelRunnerDeps } from './model/run.ts';
import type { SubgraphDeps } from './subgraph/run.ts';

/** What the runners of all built-in kinds need, each its own part of it. */
export interface NodePorts extends OutsidePorts, EnginePorts {}

/** What a process supplies. */
export interface OutsidePorts
  extends AgentDeps, EvalRunnerDeps, MemoryRetrievalDeps, ModelRunnerDeps {}

/** What the engine itself supplies. */
export interface EnginePorts extends SubgraphDeps {}
