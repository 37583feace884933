import type { KindRegistry } from '../domain/workflow/kind-registry.ts';
import type { NodeKind } from '../domain/workflow/plan.ts';
import { a2aTaskKind } from './a2a-task.ts';
import { agentDiscoveryKind, coordinatorKind } from './agent-discovery.ts';
import { agentKind } from './agent.ts';
import { conditionKind } from './condition.ts';
import { evalKind } from './eval.ts';
import { humanApprovalKind } from './human-approval.ts';
import { javaFnKind } from './java-fn.ts';
import { joinKind } from './join.ts';
import { limitExceededKind } from './limit-exceeded.ts';
import { mapKind } from './map.ts';
import { mcpToolKind } from './mcp-tool.ts';
import { memoryRetrievalKind } from './memory-retrieval.ts';
import { modelKind } from './model.ts';
import { parallelKind } from './parallel.ts';
import { passKind } from './pass.ts';
import { subgraphKind } from './subgraph.ts';
import { pythonFnKind } from './python-fn.ts';
import { toolKind } from './tool.ts';
import { waitKind } from './wait.ts';
import { finalizerKind } from './finalizer.ts';
import { policyKind } from './policy.ts';

/** Every kind of node that can run. */
export const NODE_KINDS: readonly NodeKind<unknown>[] = [
  passKind,
  pythonFnKind,
  javaFnKind,
  conditionKind,
  parallelKind,
  mapKind,
  joinKind,
  waitKind,
  humanApprovalKind,
  subgraphKind,
  limitExceededKind,
  evalKind,
  policyKind,
  finalizerKind,
  toolKind,
  mcpToolKind,
  modelKind,
  a2aTaskKind,
  agentKind,
  agentDiscoveryKind,
  coordinatorKind,
  memoryRetrievalKind,
];

export function createKindRegistry(kinds: readonly NodeKind<unknown>[]): KindRegistry {
  const byName = new Map(
    kinds.flatMap((kind) => [kind.type, ...kind.aliases].map((name) => [name, kind] as const)),
  );
  return { all: kinds, lookUp: (type) => byName.get(type) ?? null };
}

export const builtInKinds: KindRegistry = createKindRegistry(NODE_KINDS);
