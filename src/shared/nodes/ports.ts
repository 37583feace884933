import type { AgentDeps } from './agent/run.ts';
import type { EvalRunnerDeps } from './eval/run.ts';
import type { MemoryRetrievalDeps } from './memory-retrieval/run.ts';
import type { ModelRunnerDeps } from './model/run.ts';
import type { SubgraphDeps } from './subgraph/run.ts';

/** The dependencies of the runners of all built-in kinds; each uses its own part. */
export interface NodePorts extends OutsidePorts, EnginePorts {}

/** The ports that a process supplies. */
export interface OutsidePorts
  extends AgentDeps, EvalRunnerDeps, MemoryRetrievalDeps, ModelRunnerDeps {}

/** The ports that the engine supplies. */
export interface EnginePorts extends SubgraphDeps {}
